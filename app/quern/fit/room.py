"""What each device has to offer."""

from dataclasses import dataclass
from enum import StrEnum

HOST = "CPU"  # llama.cpp's name of the machine's own memory


class RoomKind(StrEnum):
    """HOST is the machine's memory, GPU a memory of its own, UNIFIED a GPU that works in the machine's memory."""

    HOST = "host"
    GPU = "gpu"
    UNIFIED = "unified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Memory of one device now, in bytes.

    `device` is the engine's name ("CPU", "CUDA0"), `label` a person's ("NVIDIA GeForce RTX 4070"). `free` is what is
    unused now, `own` what models that Quern has loaded take of the rest; `reclaimable` is the part of `own` that is
    given back before the new model is loaded, because it replaces them. `margin` is kept free for everything else.
    A UNIFIED room draws on the HOST room: what is taken there is taken here.
    """

    device: str
    label: str
    kind: RoomKind
    total: int
    free: int
    own: int = 0
    reclaimable: int = 0
    margin: int = 0

    @property
    def other(self) -> int:
        """What other programs take."""
        return max(0, self.total - self.free - self.own)

    @property
    def usable(self) -> int:
        """What a new model may take with the margin kept."""
        return max(0, self.free + self.reclaimable - self.margin)
