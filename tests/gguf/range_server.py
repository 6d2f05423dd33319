"""A server on this machine that gives out ranges of one file, and a source that reads from it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer
from threading import Thread
from urllib.request import Request, urlopen


@dataclass(slots=True)
class RangeServer:
    """What the server gives out, where, and the ranges (first and last byte) that it was asked for."""

    content: bytes
    address: str = ""
    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


@contextmanager
def serving(content: bytes) -> Generator[RangeServer]:
    """Run a server of `content` in a thread."""
    state = RangeServer(content)

    class Handler(_Handler):
        served = state

    with TCPServer(("127.0.0.1", 0), Handler) as server:
        state.address = f"http://127.0.0.1:{server.server_address[1]}/model.gguf"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: RangeServer

    def do_GET(self) -> None:
        """Answer with the range that is asked for."""
        first, last = (int(number) for number in self.headers["Range"].removeprefix("bytes=").split("-"))
        self.served.asked.append((first, last))
        body = self.served.content[first : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{len(self.served.content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Be silent."""


class RangeSource:
    """The bytes behind a RangeServer, one request a read."""

    def __init__(self, server: RangeServer) -> None:
        self._address = server.address
        self.path = Path("model.gguf")
        self.size_bytes = len(server.content)

    def read_at(self, offset: int, length: int) -> bytes:
        last = min(offset + length, self.size_bytes) - 1
        with urlopen(Request(self._address, headers={"Range": f"bytes={offset}-{last}"})) as response:
            return response.read()
