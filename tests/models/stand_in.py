"""A stand-in for the hub on this machine: gives out one file, as badly as a test wants."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Event, Thread


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer that a test puts in place of the file."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


@dataclass(slots=True)
class StandIn:
    """What the server gives out, what it was asked, and its faults.

    `heads` and `gets` are answers used up before the file itself is served; `cuts` are numbers of body bytes after
    which a connection is dropped, one for each request; `stall_after` is where the body stops coming until `resumed`.
    """

    content: bytes
    port: int = 0
    linked: bool = True
    knows_ranges: bool = True
    sends_length: bool = True
    heads: list[Reply] = field(default_factory=list[Reply])
    gets: list[Reply] = field(default_factory=list[Reply])
    cuts: list[int] = field(default_factory=list[int])
    stall_after: int | None = None
    promised_sha256: str | None = None
    asked: list[tuple[str, str, str | None]] = field(default_factory=list[tuple[str, str, str | None]])
    stalled: Event = field(default_factory=Event)
    resumed: Event = field(default_factory=Event)

    @property
    def endpoint(self) -> str:
        """The hub's address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ranges(self) -> list[str | None]:
        """The Range header of every GET so far."""
        return [asked_range for method, _, asked_range in self.asked if method == "GET"]


@contextmanager
def serving(stand_in: StandIn) -> Generator[StandIn]:
    """Run the server in a thread."""

    class Handler(_Handler):
        state = stand_in

    server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stand_in.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.resumed.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    state: StandIn

    def do_HEAD(self) -> None:
        """Name size and hash; like the hub, beside a redirect to where the bytes lie."""
        self._note("HEAD")
        if self.state.heads:
            self._answer(self.state.heads.pop(0), with_body=False)
            return
        headers = {"Content-Length": str(len(self.state.content)), "ETag": '"weak"'}
        if self.state.linked:
            promised = self.state.promised_sha256 or sha256(self.state.content).hexdigest()
            headers = {
                "X-Linked-Size": headers["Content-Length"],
                "X-Linked-Etag": f'"{promised}"',
                "Location": f"http://localhost:{self.state.port}/storage/model.gguf",
                "Content-Length": "0",
            }
        self._answer(Reply(302 if self.state.linked else 200, headers), with_body=False)

    def do_GET(self) -> None:
        """Redirect to storage, or give out the file from where it is asked for."""
        self._note("GET")
        if self.state.gets:
            self._answer(self.state.gets.pop(0), with_body=True)
            return
        if self.state.linked and not self.path.startswith("/storage/"):
            self.state.asked.pop()
            self._answer(Reply(302, {"Location": "/storage/model.gguf", "Content-Length": "0"}), with_body=False)
            return
        self._give_out()

    def _give_out(self) -> None:
        start = 0
        asked_range = self.headers.get("Range")
        size = len(self.state.content)
        if asked_range is not None and self.state.knows_ranges:
            start = int(asked_range.removeprefix("bytes=").partition("-")[0])
            if start >= size:
                self._answer(Reply(416, {"Content-Range": f"bytes */{size}", "Content-Length": "0"}), with_body=False)
                return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        if self.state.sends_length:
            self.send_header("Content-Length", str(size - start))
        self.send_header("Content-Type", "application/octet-stream")
        self.end_headers()
        self._send_body(self.state.content[start:])

    def _send_body(self, body: bytes) -> None:
        if self.state.cuts:
            self.wfile.write(body[: self.state.cuts.pop(0)])
        elif self.state.stall_after is not None:
            self.wfile.write(body[: self.state.stall_after])
            self.wfile.flush()
            self.state.stalled.set()
            self.state.resumed.wait(30)
        else:
            self.wfile.write(body)

    def _answer(self, reply: Reply, *, with_body: bool) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in reply.headers:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)

    def _note(self, method: str) -> None:
        self.state.asked.append((method, self.path, self.headers.get("Range")))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
