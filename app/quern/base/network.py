"""The one network policy: offline means that nothing but this machine itself can be reached, whoever tries."""

import os
import sys
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import cast

from .errors import QuernError

MAX_CONNECTIONS_KEPT = 1000
# Audit events (https://docs.python.org/3/library/audit_events.html), called with (name, ...) and (socket, address).
_NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
_ADDRESS_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


@dataclass(eq=False)
class NetworkForbidden(QuernError):
    """Something wanted to reach `host` although Quern is offline."""

    host: str

    sentence = 'Quern is offline, so "{host}" was not contacted.'
    advice = "Switch offline mode off in Settings (or unset QUERN_OFFLINE), then try again."


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """What this process may reach: everything, or, when `offline`, only this machine."""

    offline: bool

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> "NetworkPolicy":
        """Return the policy that QUERN_OFFLINE asks for: any value but "", "0", "false" and "no" means offline."""
        return cls(offline=environ.get("QUERN_OFFLINE", "").strip().lower() not in ("", "0", "false", "no"))


class ConnectionKind(Enum):
    """What was tried: to look a name up, or to send to an address."""

    LOOKUP = auto()
    CONNECT = auto()


@dataclass(frozen=True, slots=True)
class Connection:
    """One attempt to reach another machine; `at` in seconds since 1970, `was_allowed` by the policy of that moment."""

    at: float
    kind: ConnectionKind
    host: str
    was_allowed: bool


class _Guard:
    """Owns the policy in force and the log of attempts; there is one, because an audit hook cannot be taken away."""

    def __init__(self) -> None:
        self.policy = NetworkPolicy(offline=False)
        self.log: deque[Connection] = deque(maxlen=MAX_CONNECTIONS_KEPT)
        self.is_installed = False

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if not event.startswith("socket."):
            return
        if event in _ADDRESS_EVENTS:
            self._attempt(ConnectionKind.CONNECT, _host_of(arguments[1]))
        elif event in _NAME_EVENTS:
            self._attempt(ConnectionKind.LOOKUP, _host_of(arguments[0]))

    def _attempt(self, kind: ConnectionKind, host: str) -> None:
        if is_loopback(host):
            return
        was_allowed = not self.policy.offline
        self.log.append(Connection(time.time(), kind, host, was_allowed))
        if not was_allowed:
            raise NetworkForbidden(host)


def _host_of(target: object) -> str:
    """Return the host in a name or a socket address; "" where there is none (a path, a connected socket, None)."""
    host = next(iter(cast("tuple[object, ...]", target)), "") if isinstance(target, tuple) else target
    if isinstance(host, bytes | bytearray):
        return host.decode(errors="replace")
    return host if isinstance(host, str) else ""


_guard = _Guard()


def install_network_guard(policy: NetworkPolicy) -> None:
    """Put `policy` in force for every Python socket of this process, at once, in place of an earlier one.

    From then on a forbidden attempt raises NetworkForbidden where it is made. Native code is not seen; Quern's own
    native parts open no sockets.
    """
    _guard.policy = policy
    if not _guard.is_installed:
        _guard.is_installed = True
        sys.addaudithook(_guard.audit)


def connections() -> tuple[Connection, ...]:
    """Return the last attempts to reach other machines, oldest first, at most MAX_CONNECTIONS_KEPT."""
    return tuple(_guard.log)


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address, is certainly this machine. Asks no name server.

    True for "localhost" and names below it (RFC 6761, section 6.3), 127.0.0.0/8, ::1 and their mapped forms; also for
    "", which asks for no host.
    """
    from ipaddress import IPv6Address, ip_address

    name = host.strip().rstrip(".").lower()
    if name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback
