"""The transcript: a native, virtualised view of one chat that stays smooth at any length."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .shown import FindDirection as FindDirection
    from .shown import ShownMessage as ShownMessage
    from .shown import ShownState as ShownState
    from .view import TranscriptView as TranscriptView

__all__ = ["FindDirection", "ShownMessage", "ShownState", "TranscriptView"]

__getattr__ = lazy_exports(
    __name__,
    {"FindDirection": "shown", "ShownMessage": "shown", "ShownState": "shown", "TranscriptView": "view"},
)
