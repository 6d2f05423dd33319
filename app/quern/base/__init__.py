"""The ground every room stands on."""

from typing import TYPE_CHECKING

from .lazy import lazy_exports

if TYPE_CHECKING:
    from .cancel import CancelToken as CancelToken
    from .child import WorkerProcess as WorkerProcess
    from .child import ask_worker as ask_worker
    from .child import worker_command as worker_command
    from .child_error import WorkerAborted as WorkerAborted
    from .child_error import WorkerCrashed as WorkerCrashed
    from .child_error import WorkerFailed as WorkerFailed
    from .child_error import WorkerTimedOut as WorkerTimedOut
    from .child_process import ChildLimits as ChildLimits
    from .crash_report import enable_crash_report as enable_crash_report
    from .database import Database as Database
    from .database_error import DatabaseBusy as DatabaseBusy
    from .database_error import DatabaseDamaged as DatabaseDamaged
    from .database_error import DatabaseMissing as DatabaseMissing
    from .database_error import DatabaseNewer as DatabaseNewer
    from .database_error import DatabaseOlder as DatabaseOlder
    from .database_error import DatabaseReadOnly as DatabaseReadOnly
    from .database_error import DatabaseUnreadable as DatabaseUnreadable
    from .database_error import DiskFull as DiskFull
    from .errors import Cancelled as Cancelled
    from .errors import QuernError as QuernError
    from .events import Publisher as Publisher
    from .job import Job as Job
    from .job import JobPhase as JobPhase
    from .job import JobPool as JobPool
    from .job import Progress as Progress
    from .json_value import Json as Json
    from .json_value import JsonObject as JsonObject
    from .log import set_up_logging as set_up_logging
    from .migration import Schema as Schema
    from .network import Connection as Connection
    from .network import ConnectionKind as ConnectionKind
    from .network import NetworkForbidden as NetworkForbidden
    from .network import NetworkPolicy as NetworkPolicy
    from .network import connections as connections
    from .network import install_network_guard as install_network_guard
    from .network import is_loopback as is_loopback
    from .ownership import HomeOwned as HomeOwned
    from .ownership import Ownership as Ownership
    from .paths import Home as Home
    from .paths import HomeUnusable as HomeUnusable
    from .recovery import Opened as Opened
    from .recovery import Recovery as Recovery
    from .recovery import open_or_recover as open_or_recover
    from .resources import ResourceMissing as ResourceMissing
    from .resources import resource as resource
    from .system import confine_worker as confine_worker
    from .units import format_bytes as format_bytes
    from .units import format_count as format_count
    from .units import format_duration_s as format_duration_s
    from .units import format_short_count as format_short_count
    from .watcher import Watcher as Watcher
    from .watcher import watch as watch
    from .worker import serve_worker as serve_worker

_HOMES = {
    "CancelToken": "cancel",
    "Cancelled": "errors",
    "ChildLimits": "child_process",
    "Connection": "network",
    "ConnectionKind": "network",
    "Database": "database",
    "DatabaseBusy": "database_error",
    "DatabaseDamaged": "database_error",
    "DatabaseMissing": "database_error",
    "DatabaseNewer": "database_error",
    "DatabaseOlder": "database_error",
    "DatabaseReadOnly": "database_error",
    "DatabaseUnreadable": "database_error",
    "DiskFull": "database_error",
    "Home": "paths",
    "HomeOwned": "ownership",
    "HomeUnusable": "paths",
    "Job": "job",
    "JobPhase": "job",
    "JobPool": "job",
    "Json": "json_value",
    "JsonObject": "json_value",
    "NetworkForbidden": "network",
    "NetworkPolicy": "network",
    "Opened": "recovery",
    "Ownership": "ownership",
    "Progress": "job",
    "Publisher": "events",
    "QuernError": "errors",
    "Recovery": "recovery",
    "ResourceMissing": "resources",
    "Schema": "migration",
    "Watcher": "watcher",
    "WorkerAborted": "child_error",
    "WorkerCrashed": "child_error",
    "WorkerFailed": "child_error",
    "WorkerProcess": "child",
    "WorkerTimedOut": "child_error",
    "ask_worker": "child",
    "confine_worker": "system",
    "connections": "network",
    "enable_crash_report": "crash_report",
    "format_bytes": "units",
    "format_count": "units",
    "format_duration_s": "units",
    "format_short_count": "units",
    "install_network_guard": "network",
    "is_loopback": "network",
    "open_or_recover": "recovery",
    "resource": "resources",
    "serve_worker": "worker",
    "set_up_logging": "log",
    "watch": "watcher",
    "worker_command": "child",
}

__all__ = [
    "CancelToken",
    "Cancelled",
    "ChildLimits",
    "Connection",
    "ConnectionKind",
    "Database",
    "DatabaseBusy",
    "DatabaseDamaged",
    "DatabaseMissing",
    "DatabaseNewer",
    "DatabaseOlder",
    "DatabaseReadOnly",
    "DatabaseUnreadable",
    "DiskFull",
    "Home",
    "HomeOwned",
    "HomeUnusable",
    "Job",
    "JobPhase",
    "JobPool",
    "Json",
    "JsonObject",
    "NetworkForbidden",
    "NetworkPolicy",
    "Opened",
    "Ownership",
    "Progress",
    "Publisher",
    "QuernError",
    "Recovery",
    "ResourceMissing",
    "Schema",
    "Watcher",
    "WorkerAborted",
    "WorkerCrashed",
    "WorkerFailed",
    "WorkerProcess",
    "WorkerTimedOut",
    "ask_worker",
    "confine_worker",
    "connections",
    "enable_crash_report",
    "format_bytes",
    "format_count",
    "format_duration_s",
    "format_short_count",
    "install_network_guard",
    "is_loopback",
    "open_or_recover",
    "resource",
    "serve_worker",
    "set_up_logging",
    "watch",
    "worker_command",
]

__getattr__ = lazy_exports(__name__, _HOMES)
