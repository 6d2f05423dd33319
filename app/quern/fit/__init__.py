"""Will it fit? Weights, KV cache, recurrent state and compute against the machine, and what to change."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .choice import Circumstances as Circumstances
    from .choice import request_limit as request_limit
    from .choice import resolve as resolve
    from .errors import FitUnknown as FitUnknown
    from .estimator import Estimator as Estimator
    from .goal import Goal as Goal
    from .goal import Wish as Wish
    from .need import DeviceNeed as DeviceNeed
    from .need import Needs as Needs
    from .report import Advice as Advice
    from .report import AdviceKind as AdviceKind
    from .report import DeviceFit as DeviceFit
    from .report import FitReport as FitReport
    from .report import Source as Source
    from .report import Verdict as Verdict
    from .room import HOST as HOST
    from .room import Room as Room
    from .room import RoomKind as RoomKind
    from .subject import FitSubject as FitSubject

_HOMES = {
    "Advice": "report",
    "AdviceKind": "report",
    "Circumstances": "choice",
    "DeviceFit": "report",
    "DeviceNeed": "need",
    "Estimator": "estimator",
    "FitReport": "report",
    "FitSubject": "subject",
    "FitUnknown": "errors",
    "Goal": "goal",
    "HOST": "room",
    "Needs": "need",
    "Room": "room",
    "RoomKind": "room",
    "Source": "report",
    "Verdict": "report",
    "Wish": "goal",
    "request_limit": "choice",
    "resolve": "choice",
}

__all__ = [
    "HOST",
    "Advice",
    "AdviceKind",
    "Circumstances",
    "DeviceFit",
    "DeviceNeed",
    "Estimator",
    "FitReport",
    "FitSubject",
    "FitUnknown",
    "Goal",
    "Needs",
    "Room",
    "RoomKind",
    "Source",
    "Verdict",
    "Wish",
    "request_limit",
    "resolve",
]

__getattr__ = lazy_exports(__name__, _HOMES)
