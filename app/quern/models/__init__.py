"""The models on this machine, and getting more of them."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .download import download_model as download_model
    from .entry import ModelEntry as ModelEntry
    from .entry import Origin as Origin
    from .errors import DownloadFailed as DownloadFailed
    from .errors import DownloadForbidden as DownloadForbidden
    from .errors import HashMismatch as HashMismatch
    from .errors import HubUnreachable as HubUnreachable
    from .errors import ModelAmbiguous as ModelAmbiguous
    from .errors import ModelNotFound as ModelNotFound
    from .errors import NotEnoughSpace as NotEnoughSpace
    from .hub_file import STARTER_FILE as STARTER_FILE
    from .hub_file import HubFile as HubFile
    from .library import Library as Library
    from .starter import starter_path as starter_path
    from .table import TABLES as TABLES

__all__ = [
    "STARTER_FILE",
    "TABLES",
    "DownloadFailed",
    "DownloadForbidden",
    "HashMismatch",
    "HubFile",
    "HubUnreachable",
    "Library",
    "ModelAmbiguous",
    "ModelEntry",
    "ModelNotFound",
    "NotEnoughSpace",
    "Origin",
    "download_model",
    "starter_path",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "STARTER_FILE": "hub_file",
        "TABLES": "table",
        "DownloadFailed": "errors",
        "DownloadForbidden": "errors",
        "HashMismatch": "errors",
        "HubFile": "hub_file",
        "HubUnreachable": "errors",
        "Library": "library",
        "ModelAmbiguous": "errors",
        "ModelEntry": "entry",
        "ModelNotFound": "errors",
        "NotEnoughSpace": "errors",
        "Origin": "entry",
        "download_model": "download",
        "starter_path": "starter",
    },
)
