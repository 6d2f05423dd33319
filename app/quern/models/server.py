"""The talk with the servers of one download: what they say, how often they are asked again, and why it failed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from hashlib import sha256
from http.client import HTTPException, HTTPResponse
from socket import gaierror
from ssl import SSLCertVerificationError
from typing import TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from quern.base import CancelToken, NetworkForbidden

from .errors import DownloadFailed, DownloadForbidden, HubUnreachable
from .transfer import Transfer

Answer = TypeVar("Answer")

PAUSES_S = (0.5, 1.0, 2.0, 4.0)  # between one try and the next
_LONGEST_WAIT_S = 120
_BUSY = (429, 503)
_RANGE_PAST_END = 416
_SHA256 = re.compile(r"[0-9a-f]{64}")

_REFUSALS = {
    401: "the server wants an account that may read it; open its page in a browser to see how to get one",
    403: "the server forbids it; its licence may have to be accepted on its page in a browser",
    404: "the server has no such file",
    410: "the server has no such file any more",
    429: "the server limits how much it gives out, and still does after waiting",
    451: "the server may not give it out for legal reasons",
}


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """What is known of a file before it is fetched; `tag` differs between contents."""

    size_bytes: int | None
    sha256: str | None
    tag: str


class Server:
    """Owns the questions about one address; `say` is told, every second, what it waits for.

    Every method raises DownloadFailed, DownloadForbidden, HubUnreachable or Cancelled, after a few tries where that
    may help.
    """

    def __init__(self, file_name: str, url: str, cancel_token: CancelToken, say: Callable[[str], None]) -> None:
        self._file_name = file_name
        self._url = url
        self._cancel_token = cancel_token
        self._say = say
        self._transfer = Transfer(cancel_token)

    def describe(self) -> RemoteFile:
        """Ask for size and hash. The hub names both in its own headers, beside a redirect to where the bytes lie."""
        headers = self._ask(self._head)
        size = headers.get("X-Linked-Size") or headers.get("Content-Length") or ""
        etag = (headers.get("X-Linked-Etag") or headers.get("ETag") or "").removeprefix("W/").strip('"')
        tag = sha256("\n".join((self._url, etag, size)).encode()).hexdigest()
        return RemoteFile(
            size_bytes=int(size) if size.isdecimal() else None,
            sha256=etag if _SHA256.fullmatch(etag) else None,
            tag=(etag if _SHA256.fullmatch(etag) else tag)[:12],
        )

    def content(self, offset: int) -> HTTPResponse | None:
        """Ask for the bytes from `offset` on; None when there are none so far out.

        A server that knows no ranges begins at 0 all the same (status 200).
        """
        return self._ask(lambda: self._get(offset))

    def unreachable(self, error: Exception) -> HubUnreachable:
        """Return the failure that `error`, a dropped connection, means in the end."""
        cause = error.reason if isinstance(error, URLError) else error
        reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return HubUnreachable(self._file_name, urlsplit(self._url).hostname or self._url, reason)

    def _head(self) -> Message:
        try:
            with self._transfer.head(self._url) as answer:
                if _is_web_page(answer.headers):
                    raise self._web_page()
                return answer.headers
        except HTTPError as error:
            # Redirects to storage come here, and servers that do not know HEAD: the bytes then speak for themselves.
            if 300 <= error.code < 400:
                return error.headers
            if error.code in (405, 501):
                return Message()
            raise

    def _get(self, offset: int) -> HTTPResponse | None:
        try:
            answer = self._transfer.get(self._url, offset)
        except HTTPError as error:
            if error.code == _RANGE_PAST_END:
                return None
            raise
        if _is_web_page(answer.headers):
            answer.close()
            raise self._web_page()
        return answer

    def _ask(self, send: Callable[[], Answer]) -> Answer:
        pauses = iter(PAUSES_S)
        while True:
            try:
                return send()
            except NetworkForbidden as error:
                raise DownloadForbidden(self._file_name) from error
            except (OSError, HTTPException, ValueError) as error:
                self._cancel_token.raise_if_cancelled()
                pause_s = next(pauses, None)
                if pause_s is None or not _may_pass(error):
                    raise self._failure(error) from error
                self.wait(pause_s if (asked_s := _wait_asked_for(error)) is None else asked_s)

    def wait(self, seconds: float) -> None:
        """Wait before the next try and say so every second; raises Cancelled."""
        left_s = seconds
        while left_s > 0:
            self._say(f"waiting for the server ({left_s:.0f} s)")
            self._cancel_token.wait(min(1.0, left_s))
            left_s -= 1.0
        self._cancel_token.raise_if_cancelled()

    def _web_page(self) -> DownloadFailed:
        reason = "a web page came instead; a login page or a proxy may stand between here and the server"
        return DownloadFailed(self._file_name, reason)

    def _failure(self, error: Exception) -> DownloadFailed | HubUnreachable:
        if not isinstance(error, HTTPError):
            return self.unreachable(error)
        return DownloadFailed(
            self._file_name, _REFUSALS.get(error.code) or f"the server answers with error {error.code}"
        )


def _is_web_page(headers: Message) -> bool:
    return headers.get_content_type() in ("text/html", "application/xhtml+xml")


def _may_pass(error: Exception) -> bool:
    """Whether asking again may help: busy or broken servers and dropped connections, not refusals or unknown hosts."""
    if isinstance(error, HTTPError):
        return error.code in _BUSY or error.code >= 500
    cause = error.reason if isinstance(error, URLError) else error
    return not isinstance(cause, ValueError | gaierror | SSLCertVerificationError)


def _wait_asked_for(error: Exception) -> float | None:
    """Return the seconds that a busy server asks to wait, at most two minutes."""
    if not isinstance(error, HTTPError) or error.code not in _BUSY:
        return None
    text = (error.headers.get("Retry-After") or "").strip()
    return float(min(int(text), _LONGEST_WAIT_S)) if text.isdecimal() else None
