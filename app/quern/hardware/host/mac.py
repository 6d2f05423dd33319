"""macOS, asked through sysctl and Metal."""

import platform
from collections.abc import Callable

from quern.hardware.cpu import Cpu
from quern.hardware.gpu import Gpu
from quern.hardware.memory import Memory
from quern.hardware.place import Place
from quern.hardware.vendor.apple import MetalDevice, apple_gpus

from .feature import known_features

Sysctl = Callable[[str], str | None]

_ARM_FEATURES = (
    "hw.optional.AdvSIMD",
    "hw.optional.neon",
    "hw.optional.arm.FEAT_FP16",
    "hw.optional.arm.FEAT_DotProd",
    "hw.optional.arm.FEAT_I8MM",
    "hw.optional.arm.FEAT_BF16",
    "hw.optional.arm.FEAT_SME",
)


class MacSystem:
    """Asks sysctl, given as a function from a name to its text (None where the name is unknown), and Metal.

    `slept_s` says how long the machine has slept since it was started.
    """

    def __init__(
        self,
        sysctl: Sysctl,
        memory: Callable[[], Memory],
        metal: Callable[[], MetalDevice | None],
        slept_s: Callable[[], float],
    ) -> None:
        self._sysctl = sysctl
        self._memory = memory
        self._metal = metal
        self._slept_s = slept_s

    def place(self) -> Place:
        """Tell whether this program was built for Intel and runs on Apple silicon."""
        return Place(system="macOS", is_translated=self._integer("sysctl.proc_translated") == 1)

    def cpu(self) -> Cpu:
        """Describe the CPU; on Apple silicon performance level 0 is the fast kind of core."""
        n_logical = self._integer("hw.logicalcpu") or 1
        n_physical = self._integer("hw.physicalcpu") or n_logical
        intel = f"{self._sysctl('machdep.cpu.features') or ''} {self._sysctl('machdep.cpu.leaf7_features') or ''}"
        arm = (name for name in _ARM_FEATURES if self._integer(name) == 1)
        return Cpu(
            brand=self._sysctl("machdep.cpu.brand_string") or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=n_physical,
            n_logical_cores=n_logical,
            n_performance_cores=self._integer("hw.perflevel0.physicalcpu") or n_physical,
            n_usable_threads=n_logical,
            features=known_features((*intel.split(), *arm)),
        )

    def memory(self) -> Memory:
        """Describe memory as psutil measures it."""
        return self._memory()

    def gpus(self) -> tuple[Gpu, ...]:
        """Describe the Mac's GPU."""
        return apple_gpus(self._metal(), self._sysctl, self._memory().available_bytes)

    def stamp(self) -> str:
        """Return what changes with a new start, a sleep, an update of macOS or the GPU's memory limit."""
        names = ("kern.bootsessionuuid", "kern.osversion", "iogpu.wired_limit_mb")
        return "|".join((*(self._sysctl(name) or "" for name in names), str(round(self._slept_s()))))

    def _integer(self, name: str) -> int | None:
        text = self._sysctl(name)
        return int(text) if text is not None and text.isdecimal() else None
