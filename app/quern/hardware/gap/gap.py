"""A difference between what the hardware could do and what the engine does with it."""

from dataclasses import dataclass
from enum import StrEnum


class GapCause(StrEnum):
    """Why something that is there is not used."""

    ENGINE_FAILED = "engine_failed"
    TRANSLATED = "translated"
    DRIVER_MISSING = "driver_missing"
    DRIVER_FAILED = "driver_failed"
    DRIVER_MISMATCH = "driver_mismatch"
    DRIVER_TOO_OLD = "driver_too_old"
    GPU_LOST = "gpu_lost"
    NO_PERMISSION = "no_permission"
    NOT_PASSED = "not_passed"
    NOT_PARTITIONED = "not_partitioned"
    BACKEND_MISSING = "backend_missing"
    TARGET_MISSING = "target_missing"
    DEVICE_HIDDEN = "device_hidden"
    DEVICE_MISSING = "device_missing"
    CPU_FEATURES_UNUSED = "cpu_features_unused"


class GapWeight(StrEnum):
    """How much a gap costs: LOSS makes models run many times slower than they could, NOTE hardly."""

    LOSS = "loss"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One difference: `sentence` says what it is, `advice` what to do, `command` is to be copied where there is one."""

    cause: GapCause
    sentence: str
    advice: str
    command: str | None = None
    weight: GapWeight = GapWeight.LOSS
