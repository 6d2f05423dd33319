"""Downloads arrive whole or not at all, go on where they stopped, and fail with the true reason."""

import errno
import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import SimpleNamespace

import pytest
from tests.gguf.forge import forge_llama_model
from tests.models.stand_in import Reply, StandIn, serving

from quern.base import Cancelled, DiskFull, Job, JobPhase, Progress, QuernError
from quern.gguf import GgufTruncated, NotGguf
from quern.models import (
    DownloadFailed,
    DownloadForbidden,
    HashMismatch,
    HubFile,
    HubUnreachable,
    NotEnoughSpace,
    download_model,
    part_file,
)
from quern.models import download as download_module
from quern.models import server as server_module

FILE = HubFile("some/repo", "sub folder/model.gguf", "main")
LOGIN_PAGE = Reply(200, {"Content-Type": "text/html; charset=utf-8"}, b"<!DOCTYPE html><title>Sign in</title>")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (server_module, download_module):
        monkeypatch.setattr(module, "PAUSES_S", (0.01, 0.01, 0.01))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    content = forge_llama_model(tmp_path / "original.gguf").read_bytes()
    with serving(StandIn(content)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


class Fetch:
    """One download as a job, with its progress."""

    def __init__(self, file: HubFile | str, folder: Path) -> None:
        self.progress: list[Progress] = []
        self.job: Job[Path] = Job(lambda job: download_model(file, folder, job))
        self.job.progressed.subscribe(self.progress.append)

    def arrived(self, n_bytes: int) -> Event:
        """Return an event that is set once `n_bytes` have come."""
        event = Event()

        def look(progress: Progress) -> None:
            if progress.done >= n_bytes:
                event.set()

        self.job.progressed.subscribe(look)
        return event

    def run(self) -> Path:
        self.job.run()
        return self.job.wait(0)


def fetch(file: HubFile | str, folder: Path) -> Path:
    return Fetch(file, folder).run()


def refuse(error: type[QuernError], file: HubFile | str, folder: Path) -> str:
    """Fetch, expect `error`, and return its sentence; no model may be there afterwards."""
    with pytest.raises(error) as caught:
        fetch(file, folder)
    assert not list(folder.glob("*.gguf"))
    return caught.value.what


def test_a_file_arrives_whole_under_its_own_name(hub: StandIn, folder: Path) -> None:
    fetching = Fetch(FILE, folder)
    path = fetching.run()
    assert path == folder / "model.gguf"
    assert path.read_bytes() == hub.content
    assert list(folder.iterdir()) == [path]
    assert hub.asked[0] == ("HEAD", "/some/repo/resolve/main/sub%20folder/model.gguf", None)
    assert fetching.progress[-1] == Progress(len(hub.content), len(hub.content), "downloading")


def test_any_address_will_do(hub: StandIn, folder: Path) -> None:
    hub.linked = False
    assert fetch(f"{hub.endpoint}/some/where/my%20model.gguf?download=true", folder) == folder / "my model.gguf"
    assert (folder / "my model.gguf").read_bytes() == hub.content


def test_a_file_that_is_there_is_not_fetched_again(hub: StandIn, folder: Path) -> None:
    fetch(FILE, folder)
    hub.asked.clear()
    assert fetch(FILE, folder) == folder / "model.gguf"
    assert hub.ranges == []


@pytest.mark.usefixtures("hub")
def test_another_file_of_the_name_is_not_overwritten(folder: Path) -> None:
    folder.mkdir()
    (folder / "model.gguf").write_bytes(b"mine")
    with pytest.raises(DownloadFailed, match="another file of this name"):
        fetch(FILE, folder)
    assert (folder / "model.gguf").read_bytes() == b"mine"


def test_DL_02_a_dropped_connection_is_continued(hub: StandIn, folder: Path) -> None:
    third = len(hub.content) // 3
    hub.cuts = [third, third]
    fetching = Fetch(FILE, folder)
    assert fetching.run().read_bytes() == hub.content
    assert hub.ranges == [None, f"bytes={third}-", f"bytes={2 * third}-"]
    done = [progress.done for progress in fetching.progress if progress.label == "downloading"]
    assert done == sorted(done)


def test_DL_03_what_an_earlier_run_fetched_is_not_fetched_again(hub: StandIn, folder: Path) -> None:
    hub.cuts = [100_000, 0, 0, 0]
    assert "cannot be reached" in refuse(HubUnreachable, FILE, folder)
    (part,) = folder.iterdir()
    assert part.stat().st_size == 100_000
    hub.asked.clear()
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges == ["bytes=100000-"]
    assert not part.exists()


def test_a_renamed_repository_is_followed_to_its_hash(hub: StandIn, folder: Path) -> None:
    hub.heads = [Reply(307, {"Location": "/new/name/resolve/main/model.gguf"})]
    hub.promised_sha256 = "0" * 64
    refuse(HashMismatch, FILE, folder)
    assert [path for method, path, _ in hub.asked if method == "HEAD"][1] == "/new/name/resolve/main/model.gguf"


def test_a_disk_that_cannot_be_read_back_is_said(hub: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.cuts = [100_000, 0, 0, 0]
    refuse(HubUnreachable, FILE, folder)

    class FailingHash:
        def update(self, data: bytes) -> None:
            raise OSError(errno.EIO, f"Input/output error after {len(data)} bytes")

    monkeypatch.setattr(part_file, "sha256", FailingHash)
    assert "the folder cannot be read or written" in refuse(DownloadFailed, FILE, folder)


def test_a_part_of_another_version_is_not_continued(hub: StandIn, folder: Path) -> None:
    hub.cuts = [100_000, 0, 0, 0]
    refuse(HubUnreachable, FILE, folder)
    hub.content = hub.content[:-1] + b"\1"
    hub.asked.clear()
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges == [None]


def test_DL_06_a_part_that_is_already_whole_is_only_verified(hub: StandIn, folder: Path) -> None:
    folder.mkdir()
    digest = sha256(hub.content).hexdigest()
    (folder / f"model.gguf.{digest[:12]}.part").write_bytes(hub.content)
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges == []


def test_a_part_that_is_too_long_is_fetched_anew(hub: StandIn, folder: Path) -> None:
    folder.mkdir()
    digest = sha256(hub.content).hexdigest()
    (folder / f"model.gguf.{digest[:12]}.part").write_bytes(hub.content + b"x")
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges == [None]


def test_a_server_without_ranges_starts_over(hub: StandIn, folder: Path) -> None:
    hub.knows_ranges = False
    hub.cuts = [1000]
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges == [None, "bytes=1000-"]


def test_a_server_that_sends_other_parts_than_asked_for_is_given_up(hub: StandIn, folder: Path) -> None:
    hub.gets = [Reply(206, {"Content-Range": "bytes 500-999/1000"}, b"x" * 500), Reply(416), Reply(416)]
    assert "no such part" in refuse(HubUnreachable, FILE, folder)


def test_a_server_that_knows_no_head_and_no_length_serves_all_the_same(hub: StandIn, folder: Path) -> None:
    hub.linked = hub.sends_length = False
    hub.heads = [Reply(405)]
    assert fetch(FILE, folder).read_bytes() == hub.content


def test_without_a_promise_a_cut_file_is_found_by_its_header(hub: StandIn, folder: Path) -> None:
    hub.linked = hub.sends_length = False
    hub.heads = [Reply(405)]
    hub.cuts = [200_000]
    assert '"model.gguf" is incomplete' in refuse(GgufTruncated, FILE, folder)


def test_without_a_promise_another_file_is_found_by_its_content(hub: StandIn, folder: Path) -> None:
    hub.linked = False
    hub.content = b"Entry not found"
    assert "a text file" in refuse(NotGguf, FILE, folder)
    assert list(folder.iterdir()) == []


def test_DL_01_right_size_and_wrong_bytes_are_removed(hub: StandIn, folder: Path) -> None:
    hub.promised_sha256 = "0" * 64
    assert "SHA-256" in refuse(HashMismatch, FILE, folder)
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("hub")
def test_a_pinned_hash_wins_over_the_servers(folder: Path) -> None:
    refuse(HashMismatch, HubFile("some/repo", "model.gguf", sha256="1" * 64), folder)


def test_more_than_was_announced_is_refused(hub: StandIn, folder: Path) -> None:
    hub.sends_length = False
    hub.heads = [Reply(200, {"Content-Length": "1000", "ETag": '"x"'})]
    assert "more than it announced" in refuse(DownloadFailed, FILE, folder)


@pytest.mark.parametrize("where", ["heads", "gets"])
def test_DL_07_a_login_page_is_called_one(hub: StandIn, folder: Path, where: str) -> None:
    setattr(hub, where, [LOGIN_PAGE])
    assert "a web page came instead; a login page or a proxy" in refuse(DownloadFailed, FILE, folder)


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "wants an account"), (403, "licence may have to be accepted"), (404, "no such file"), (418, "error 418")],
)
def test_refusals_have_their_own_words(hub: StandIn, folder: Path, status: int, words: str) -> None:
    hub.heads = [Reply(status)]
    assert words in refuse(DownloadFailed, FILE, folder)
    assert len(hub.asked) == 1


def test_DL_10_a_busy_server_is_waited_for(hub: StandIn, folder: Path) -> None:
    hub.heads = [Reply(429, {"Retry-After": "1"})]
    hub.gets = [Reply(503, {"Retry-After": "0"}), Reply(500)]
    fetching = Fetch(FILE, folder)
    start = monotonic()
    assert fetching.run().read_bytes() == hub.content
    assert monotonic() - start >= 1
    assert "waiting for the server (1 s)" in [progress.label for progress in fetching.progress]
    done = [progress.done for progress in fetching.progress]
    assert done == sorted(done)


def test_DL_10_a_server_that_stays_busy_is_said_to_limit(hub: StandIn, folder: Path) -> None:
    hub.heads = [Reply(429)] * 9
    assert "limits how much it gives out" in refuse(DownloadFailed, FILE, folder)
    assert len(hub.asked) == 4


def test_a_server_that_is_not_there_is_unreachable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(StandIn(b"")) as gone:
        pass
    monkeypatch.setenv("HF_ENDPOINT", gone.endpoint)
    assert "127.0.0.1 cannot be reached (Connection refused)" in refuse(HubUnreachable, FILE, folder)


def test_offline_means_offline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERN_OFFLINE", "1")
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example")
    assert "set to stay offline" in refuse(DownloadForbidden, FILE, folder)


@pytest.mark.usefixtures("hub")
def test_this_machine_is_reached_even_offline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERN_OFFLINE", "1")
    assert fetch(FILE, folder).exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://somewhere.example/model.gguf", "http:// or https://"),
        ("model.gguf", "http:// or https://"),
        ("https://somewhere.example/", ".gguf"),
        ("https://somewhere.example/model.gguf/..", ".gguf"),
        ("https://somewhere.example/model.zip", ".gguf"),
        ("https://somewhere.example/a%3Ab.gguf", "not every system can store"),
        ("https://somewhere.example/a%00b.gguf", "not every system can store"),
    ],
)
def test_a_senseless_address_is_refused(folder: Path, url: str, words: str) -> None:
    assert words in refuse(DownloadFailed, url, folder)


def test_no_address_leads_out_of_the_folder(hub: StandIn, folder: Path) -> None:
    hub.linked = False
    assert fetch(f"{hub.endpoint}/a/..%2F..%5Cevil.gguf", folder) == folder / "evil.gguf"


def test_DL_11_a_disk_that_is_too_small_is_found_before(
    hub: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usage(folder: Path) -> SimpleNamespace:
        assert folder.is_dir()
        return SimpleNamespace(free=1000)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert "needs 446 KiB more on the disk, and 1.0 KiB are free" in refuse(NotEnoughSpace, FILE, folder)
    assert hub.ranges == []


def test_DL_15_a_cancel_acts_at_once_and_the_rest_comes_later(hub: StandIn, folder: Path) -> None:
    hub.stall_after = 150_000
    fetching = Fetch(FILE, folder)
    arrived = fetching.arrived(150_000)
    thread = Thread(target=fetching.job.run)
    thread.start()
    assert arrived.wait(10)
    start = monotonic()
    fetching.job.cancel()
    fetching.job.cancel()
    thread.join(10)
    assert monotonic() - start < 1
    assert fetching.job.phase is JobPhase.CANCELLED
    with pytest.raises(Cancelled):
        fetching.job.wait(0)
    hub.stall_after = None
    hub.resumed.set()
    assert fetch(FILE, folder).read_bytes() == hub.content
    assert hub.ranges[1] == "bytes=150000-"


def test_DL_19_the_same_file_is_not_fetched_twice_at_once(hub: StandIn, folder: Path) -> None:
    hub.stall_after = 1000
    fetching = Fetch(FILE, folder)
    thread = Thread(target=fetching.job.run)
    thread.start()
    assert hub.stalled.wait(10)
    with pytest.raises(DownloadFailed, match="already being downloaded"):
        fetch(FILE, folder)
    fetching.job.cancel()
    thread.join(10)


@pytest.mark.usefixtures("hub")
def test_DL_18_a_name_that_is_too_long_is_said(folder: Path) -> None:
    assert "too long" in refuse(DownloadFailed, HubFile("some/repo", "x" * 245 + ".gguf"), folder)


@pytest.mark.usefixtures("hub")
def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "models").write_bytes(b"")
    with pytest.raises(DownloadFailed, match="the folder cannot be read or written"):
        fetch(FILE, tmp_path / "models")


@pytest.mark.usefixtures("hub")
def test_DL_11_a_disk_that_fills_up_midway_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, f"No space left for {descriptor}")

    monkeypatch.setattr(os, "fsync", full)
    assert "is full" in refuse(DiskFull, FILE, folder)
