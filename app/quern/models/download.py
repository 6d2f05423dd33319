"""Fetches a model file: resumed where it stopped, checked against its hash, and there only when it is whole."""

import os
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import file_digest
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from quern.base import Job, NetworkPolicy, is_loopback
from quern.gguf import BadModelFile, FileSource, check_complete, read_header

from .errors import DownloadFailed, DownloadForbidden, HashMismatch, NotEnoughSpace
from .hub_file import HubFile, hub_endpoint, name_in_url
from .part_file import PartFile
from .server import PAUSES_S, Server

_CHUNK_BYTES = 256 * 1024
_SPARE_BYTES = 64 * 1024 * 1024  # what a download leaves free on the disk

_UNSTORABLE = re.compile(r'[<>:"|?*\x00-\x1f]')  # on Windows, a colon would even name a stream inside another file

_active: set[Path] = set()
_active_lock = Lock()


def download_model(file: HubFile | str, folder: Path, job: Job[Path]) -> Path:
    """Fetch `file` (on the hub, or any address) into `folder` and return where it lies; for use as a job's work.

    Progress is in bytes. What was fetched stays in a .part file when it fails or is cancelled, and the next call goes
    on from there. A file that is already there with the right hash is not fetched again.

    Raises DownloadFailed, DownloadForbidden, HubUnreachable, NotEnoughSpace, DiskFull, HashMismatch or Cancelled; and
    the gguf errors when nobody promised a hash and the content is no whole GGUF file.
    """
    url = file.url(hub_endpoint()) if isinstance(file, HubFile) else file
    name = name_in_url(url)
    _check_address(url, name)
    with _only_one(folder / name):
        return _Download(file, url, folder / name, job).run()


def _check_address(url: str, name: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DownloadFailed(name or url, "its address does not begin with http:// or https://")
    if not name.lower().endswith(".gguf"):
        raise DownloadFailed(name or url, "its address does not end in .gguf")
    if _UNSTORABLE.search(name):
        raise DownloadFailed(name, "its name holds characters that not every system can store")
    if NetworkPolicy.from_environ(os.environ).offline and not is_loopback(parts.hostname):
        raise DownloadForbidden(name)


@contextmanager
def _only_one(final: Path) -> Generator[None]:
    with _active_lock:
        if final in _active:
            raise DownloadFailed(final.name, "it is already being downloaded")
        _active.add(final)
    try:
        yield
    finally:
        with _active_lock:
            _active.discard(final)


class _Download:
    """Owns one download from the first question to the final name, and how far it is."""

    def __init__(self, file: HubFile | str, url: str, final: Path, job: Job[Path]) -> None:
        self._promised_sha256 = file.sha256 if isinstance(file, HubFile) else None
        self._final = final
        self._job = job
        self._server = Server(final.name, url, job.cancel_token, self._say)
        self._done_bytes = 0
        self._total_bytes: int | None = None

    def run(self) -> Path:
        """Describe, find room, fetch, verify, keep."""
        remote = self._server.describe()
        self._total_bytes = remote.size_bytes
        expected = self._promised_sha256 or remote.sha256
        if self._final.exists():
            return self._accept_existing(expected)
        with PartFile(self._final, remote.tag) as part:
            part.read_back(lambda done: self._advance(done, "checking what is there"))
            self._check_room(part)
            self._fetch(part)
            self._verify(part, expected)
            self._job.cancel_token.raise_if_cancelled()
            return part.keep()

    def _say(self, label: str) -> None:
        self._job.report(self._done_bytes, self._total_bytes, label)

    def _advance(self, done_bytes: int, label: str) -> None:
        self._done_bytes = done_bytes
        self._say(label)

    def _accept_existing(self, expected: str | None) -> Path:
        try:
            with self._final.open("rb") as file:
                is_the_same = file_digest(file, "sha256").hexdigest() == expected
        except OSError:
            is_the_same = False
        if is_the_same:
            return self._final
        raise DownloadFailed(self._final.name, "another file of this name is already in the folder")

    def _check_room(self, part: PartFile) -> None:
        needed = (self._total_bytes or 0) - part.size_bytes
        free = shutil.disk_usage(self._final.parent).free
        if needed > 0 and needed + _SPARE_BYTES > free:
            raise NotEnoughSpace(self._final.name, self._final.parent, needed, free)

    def _fetch(self, part: PartFile) -> None:
        """Ask for what is missing until nothing is; give up after several tries in a row that brought nothing."""
        failures = 0
        is_at_end = False
        while not is_at_end and not self._is_whole(part):
            before = part.size_bytes
            try:
                self._fetch_rest(part)
                is_at_end = True
            except (OSError, HTTPException) as error:
                self._job.cancel_token.raise_if_cancelled()
                failures = 0 if part.size_bytes > before else failures + 1
                if failures == len(PAUSES_S):
                    raise self._server.unreachable(error) from error
                self._server.wait(PAUSES_S[failures])

    def _is_whole(self, part: PartFile) -> bool:
        if self._total_bytes is not None and part.size_bytes > self._total_bytes:
            part.restart()
        return part.size_bytes == self._total_bytes

    def _fetch_rest(self, part: PartFile) -> None:
        """Read one answer to its end. Raises OSError or HTTPException when that is not the end of the file."""
        answer = self._server.content(part.size_bytes)
        if answer is None:
            part.restart()
            raise ConnectionError("the server has no such part of the file")
        with answer:
            if _first_byte(answer) != part.size_bytes:
                part.restart()
            if _first_byte(answer) != part.size_bytes:
                raise ConnectionError("the server sends another part of the file")
            promised = part.size_bytes + (answer.length or 0)
            self._copy(answer, part)
        if part.size_bytes < max(promised, self._total_bytes or 0):
            raise ConnectionError("the connection ended early")

    def _copy(self, answer: HTTPResponse, part: PartFile) -> None:
        while chunk := answer.read1(_CHUNK_BYTES):
            # A cancel shuts the socket down, after which a TLS connection may still hand out undeciphered bytes.
            self._job.cancel_token.raise_if_cancelled()
            part.append(chunk)
            if self._total_bytes is not None and part.size_bytes > self._total_bytes:
                raise DownloadFailed(self._final.name, "the server sends more than it announced")
            self._advance(part.size_bytes, "downloading")

    def _verify(self, part: PartFile, expected: str | None) -> None:
        """Prove the content, by its hash or else by its header; wrong content is removed."""
        if expected is None:
            try:
                _check_header(part.path, self._final)
            except BadModelFile:
                part.remove()
                raise
        elif part.sha256 != expected:
            part.remove()
            raise HashMismatch(self._final.name, expected, part.sha256)


def _check_header(path: Path, final: Path) -> None:
    """Raise the gguf errors, in the name of `final`, when `path` is no whole GGUF file."""
    with FileSource(path) as source:
        source.path = final
        check_complete(read_header(source), source)


def _first_byte(answer: HTTPResponse) -> int:
    """Return where in the file an answer begins (RFC 9110, section 14.4)."""
    match = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range") or "")
    return int(match[1]) if answer.status == 206 and match else 0
