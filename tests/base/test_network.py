"""Offline means that no socket of this process reaches another machine, and what was tried is on record."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from quern.base import (
    ConnectionKind,
    NetworkForbidden,
    NetworkPolicy,
    connections,
    install_network_guard,
    is_loopback,
    network,
)

# 192.0.2.0/24 and 2001:db8::/32 are for documentation (RFC 5737, RFC 3849) and lead nowhere.
ELSEWHERE = "192.0.2.1"


@pytest.fixture
def offline() -> Iterator[None]:
    before = connections()
    install_network_guard(NetworkPolicy(offline=True))
    assert connections() == before
    yield
    install_network_guard(NetworkPolicy(offline=False))


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.255.0.9", "::1", "::1%lo", "::ffff:127.0.0.1", ""],
)
def test_this_machine_is_loopback(host: str):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        ELSEWHERE,
        "0.0.0.0",
        "::",
        "2001:db8::1",
        "::ffff:192.0.2.1",
        "localhost.example",
        "127.0.0.1.example",
        "example",
        "10.0.0.1",
        "127.1",
        "2130706433",
    ],
)
def test_everything_else_is_not(host: str):
    assert not is_loopback(host)


@pytest.mark.usefixtures("offline")
def test_offline_nothing_leaves_this_machine():
    stream, datagram = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stream_6 = socket.socket(socket.AF_INET6)
    attempts: list[Callable[[], object]] = [
        lambda: socket.create_connection((ELSEWHERE, 443), timeout=0.1),
        lambda: socket.create_connection(("name.example", 443), timeout=0.1),
        lambda: stream.connect((ELSEWHERE, 443)),
        lambda: stream.connect_ex((ELSEWHERE, 443)),
        lambda: datagram.sendto(b"x", (ELSEWHERE, 53)),
        lambda: datagram.sendmsg([b"x"], [], 0, (ELSEWHERE, 53)),
        lambda: stream_6.connect(("2001:db8::1", 443)),
        lambda: socket.getaddrinfo("name.example", 443),
        lambda: socket.getaddrinfo(b"name.example", 443),
        lambda: socket.gethostbyname("name.example"),
        lambda: socket.gethostbyaddr(ELSEWHERE),
        lambda: socket.getnameinfo((ELSEWHERE, 443), 0),
    ]
    with stream, datagram, stream_6:
        for attempt in attempts:
            n_before = len(connections())
            with pytest.raises(NetworkForbidden) as caught:
                attempt()
            assert caught.value.host in (ELSEWHERE, "2001:db8::1", "name.example")
            newest = connections()[-1]
            assert (newest.host, newest.was_allowed) == (caught.value.host, False)
            assert len(connections()) == n_before + 1


@pytest.mark.usefixtures("offline")
def test_offline_this_machine_can_be_reached_and_is_not_on_record():
    n_before = len(connections())
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port)) as client:
            accepted, _ = server.accept()
            client.sendall(b"hello")
            assert accepted.recv(5) == b"hello"
            accepted.close()
    one, other = socket.socketpair()
    one.sendmsg([b"x"])
    assert other.recv(1) == b"x"
    one.close()
    other.close()
    assert socket.getaddrinfo(None, 80)
    assert len(connections()) == n_before


@pytest.mark.usefixtures("offline")
def test_online_attempts_are_on_record_and_allowed():
    install_network_guard(NetworkPolicy(offline=False))
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sender, suppress(OSError):
        sender.sendto(b"x", (ELSEWHERE, 9))
    newest = connections()[-1]
    assert (newest.kind, newest.host, newest.was_allowed) == (ConnectionKind.CONNECT, ELSEWHERE, True)
    assert newest.at > 1_600_000_000


@pytest.mark.usefixtures("offline")
def test_the_record_is_bounded():
    for _ in range(network.MAX_CONNECTIONS_KEPT + 5):
        with suppress(NetworkForbidden):
            socket.getaddrinfo("name.example", 443)
    assert len(connections()) == network.MAX_CONNECTIONS_KEPT


@pytest.mark.parametrize("value", ["1", "true", "yes", " On "])
def test_quern_offline_switches_offline_on(value: str):
    assert NetworkPolicy.from_environ({"QUERN_OFFLINE": value}).offline


@pytest.mark.parametrize("environ", [{}, {"QUERN_OFFLINE": ""}, {"QUERN_OFFLINE": "0"}, {"QUERN_OFFLINE": "False"}])
def test_otherwise_quern_is_online(environ: dict[str, str]):
    assert not NetworkPolicy.from_environ(environ).offline


def test_an_http_client_in_an_offline_process_is_refused_by_name():
    program = """
import urllib.request
from quern.base import NetworkForbidden, NetworkPolicy, install_network_guard
install_network_guard(NetworkPolicy.from_environ({"QUERN_OFFLINE": "1"}))
try:
    urllib.request.urlopen("http://name.example/", timeout=5)
except NetworkForbidden as error:
    print(error.what)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == 'Quern is offline, so "name.example" was not contacted.\n'
