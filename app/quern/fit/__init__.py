"""Will it fit? Weights, KV cache, recurrent state and compute against the machine, and what to change."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .answer.auto import best_settings as best_settings
    from .answer.leeway import Leeway as Leeway
    from .answer.leeway import leeway_of as leeway_of
    from .answer.rooms import OwnMemory as OwnMemory
    from .answer.rooms import rooms_of as rooms_of
    from .answer.verdict import judge as judge
    from .buffer.kv_cache import ContextCells as ContextCells
    from .buffer.kv_cache import context_cells as context_cells
    from .buffer.kv_cache import kv_bytes_by_layer as kv_bytes_by_layer
    from .buffer.recurrent import recurrent_bytes_by_layer as recurrent_bytes_by_layer
    from .buffer.settings_refused import SettingsRefused as SettingsRefused
    from .buffer.work_buffer import work_bytes as work_bytes
    from .choice import Circumstances as Circumstances
    from .choice import request_limit as request_limit
    from .choice import resolve as resolve
    from .errors import DeviceGone as DeviceGone
    from .errors import FitUnknown as FitUnknown
    from .estimator import Estimator as Estimator
    from .formula.corrections import Corrections as Corrections
    from .formula.instant import InstantEstimator as InstantEstimator
    from .goal import Goal as Goal
    from .goal import Wish as Wish
    from .measure.exact import CompanionFiles as CompanionFiles
    from .measure.exact import ExactEstimator as ExactEstimator
    from .measure.runtime_costs import RuntimeCosts as RuntimeCosts
    from .measure.runtime_probe import measure_costs as measure_costs
    from .measure.sparse_copy import SparseCopy as SparseCopy
    from .need import DeviceNeed as DeviceNeed
    from .need import Needs as Needs
    from .place.placement import Placement as Placement
    from .place.placement import place as place
    from .place.weights import weights_by_device as weights_by_device
    from .report import Advice as Advice
    from .report import AdviceKind as AdviceKind
    from .report import DeviceFit as DeviceFit
    from .report import FitReport as FitReport
    from .report import Source as Source
    from .report import Verdict as Verdict
    from .room import HOST as HOST
    from .room import Room as Room
    from .room import RoomKind as RoomKind
    from .shape.cache import Cache as Cache
    from .shape.cache import Extent as Extent
    from .shape.layer import Layer as Layer
    from .shape.model_shape import ModelShape as ModelShape
    from .shape.model_shape import shape_of as shape_of
    from .subject import FitSubject as FitSubject

_HOMES = {
    "Advice": "report",
    "AdviceKind": "report",
    "Cache": "shape.cache",
    "Circumstances": "choice",
    "CompanionFiles": "measure.exact",
    "ContextCells": "buffer.kv_cache",
    "Corrections": "formula.corrections",
    "DeviceFit": "report",
    "DeviceGone": "errors",
    "DeviceNeed": "need",
    "Estimator": "estimator",
    "ExactEstimator": "measure.exact",
    "Extent": "shape.cache",
    "FitReport": "report",
    "FitSubject": "subject",
    "FitUnknown": "errors",
    "Goal": "goal",
    "HOST": "room",
    "InstantEstimator": "formula.instant",
    "Layer": "shape.layer",
    "Leeway": "answer.leeway",
    "ModelShape": "shape.model_shape",
    "Needs": "need",
    "OwnMemory": "answer.rooms",
    "Placement": "place.placement",
    "Room": "room",
    "RoomKind": "room",
    "RuntimeCosts": "measure.runtime_costs",
    "SettingsRefused": "buffer.settings_refused",
    "Source": "report",
    "SparseCopy": "measure.sparse_copy",
    "Verdict": "report",
    "Wish": "goal",
    "best_settings": "answer.auto",
    "context_cells": "buffer.kv_cache",
    "judge": "answer.verdict",
    "kv_bytes_by_layer": "buffer.kv_cache",
    "leeway_of": "answer.leeway",
    "measure_costs": "measure.runtime_probe",
    "place": "place.placement",
    "recurrent_bytes_by_layer": "buffer.recurrent",
    "request_limit": "choice",
    "resolve": "choice",
    "rooms_of": "answer.rooms",
    "shape_of": "shape.model_shape",
    "weights_by_device": "place.weights",
    "work_bytes": "buffer.work_buffer",
}

__all__ = [
    "HOST",
    "Advice",
    "AdviceKind",
    "Cache",
    "Circumstances",
    "CompanionFiles",
    "ContextCells",
    "Corrections",
    "DeviceFit",
    "DeviceGone",
    "DeviceNeed",
    "Estimator",
    "ExactEstimator",
    "Extent",
    "FitReport",
    "FitSubject",
    "FitUnknown",
    "Goal",
    "InstantEstimator",
    "Layer",
    "Leeway",
    "ModelShape",
    "Needs",
    "OwnMemory",
    "Placement",
    "Room",
    "RoomKind",
    "RuntimeCosts",
    "SettingsRefused",
    "Source",
    "SparseCopy",
    "Verdict",
    "Wish",
    "best_settings",
    "context_cells",
    "judge",
    "kv_bytes_by_layer",
    "leeway_of",
    "measure_costs",
    "place",
    "recurrent_bytes_by_layer",
    "request_limit",
    "resolve",
    "rooms_of",
    "shape_of",
    "weights_by_device",
    "work_bytes",
]

__getattr__ = lazy_exports(__name__, _HOMES)
