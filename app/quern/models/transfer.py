"""HTTP for one download: requests that a cancel interrupts at once, and redirects that are told apart."""

import ssl
from collections.abc import Callable
from http.client import HTTPConnection, HTTPMessage, HTTPResponse, HTTPSConnection
from socket import socket
from typing import IO, Any, cast
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from quern.base import CancelToken

from .system import interrupt_socket

TIMEOUT_S = 20.0
_HEADERS = {"User-Agent": "quern", "Accept-Encoding": "identity"}

Watch = Callable[[socket], None]


class Transfer:
    """Owns the connections of one download. Proxies are those of the environment; there are no credentials.

    Requests raise what urllib and http.client raise. After a cancel, reads end as if the connection had dropped.
    """

    def __init__(self, cancel_token: CancelToken) -> None:
        self._cancel_token = cancel_token

    def head(self, url: str) -> HTTPResponse:
        """Ask for `url`'s headers; a redirect to the host that stores the bytes is raised as HTTPError."""
        return self._open(Request(url, method="HEAD", headers=_HEADERS), _SameHostOnly())

    def get(self, url: str, offset: int) -> HTTPResponse:
        """Ask for `url`'s content from byte `offset` on, wherever it is redirected to."""
        part = {"Range": f"bytes={offset}-"} if offset else {}
        return self._open(Request(url, headers=_HEADERS | part), HTTPRedirectHandler())

    def _open(self, request: Request, redirects: HTTPRedirectHandler) -> HTTPResponse:
        opener = build_opener(_PlainDoor(self._watch), _SecureDoor(self._watch), redirects)
        try:
            return cast(HTTPResponse, opener.open(request, timeout=TIMEOUT_S))
        except HTTPError as error:
            error.close()
            raise

    def _watch(self, connection: socket) -> None:
        self._cancel_token.on_cancel(lambda: interrupt_socket(connection))


class _SameHostOnly(HTTPRedirectHandler):
    """Follows a renamed repository, and stops where the answer names the file's hash: storage hosts do not know it."""

    def redirect_request(  # urllib's signature
        self,
        req: Request,
        fp: IO[bytes],  # noqa: ARG002
        code: int,  # noqa: ARG002
        msg: str,  # noqa: ARG002
        headers: HTTPMessage,
        newurl: str,
    ) -> Request | None:
        is_same_host = urlsplit(newurl).netloc == urlsplit(req.full_url).netloc
        if not is_same_host or "X-Linked-Etag" in headers:
            return None
        return Request(newurl, method="HEAD", headers=_HEADERS)


class _PlainConnection(HTTPConnection):
    """A connection that shows its socket to `watch` once it is connected."""

    watch: Watch

    def connect(self) -> None:
        super().connect()
        self.watch(self.sock)


class _SecureConnection(HTTPSConnection):
    """The same over TLS."""

    watch: Watch

    def connect(self) -> None:
        super().connect()
        self.watch(self.sock)


class _PlainDoor(HTTPHandler):
    """Opens http addresses by watched connections."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, req: Request) -> HTTPResponse:
        """Send `req` and return the answer."""

        def connection(host: str, **arguments: Any) -> HTTPConnection:
            made = _PlainConnection(host, **arguments)
            made.watch = self._watch
            return made

        return self.do_open(connection, req)


class _SecureDoor(HTTPSHandler):
    """Opens https addresses by watched connections; certificates are checked against the system's."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch
        self._tls = ssl.create_default_context()

    def https_open(self, req: Request) -> HTTPResponse:
        """Send `req` and return the answer."""

        def connection(host: str, **arguments: Any) -> HTTPConnection:
            made = _SecureConnection(host, context=self._tls, **arguments)
            made.watch = self._watch
            return made

        return self.do_open(connection, req)
