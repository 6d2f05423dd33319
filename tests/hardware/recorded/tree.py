"""The files that describe a Linux machine, below a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from quern.hardware.host.linux import LinuxSystem
from quern.hardware.vendor.nvml import Nvml

from .fake_nvml import FakeNvml

PCI_IDS = """# a line of comment
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]
\t\t1002 0e3b  RX 7900 GRE [XFX]
\t164e  Raphael
10de  NVIDIA Corporation
\t2684  AD102 [GeForce RTX 4090]
\t2786  AD104 [GeForce RTX 4070]
\t2204  GA102 [GeForce RTX 3090]
8086  Intel Corporation
\t56a0  DG2 [Arc A770]
\ta780  Raptor Lake-S GT1 [UHD Graphics 770]
"""
AMDGPU_IDS = """# device_id,  revision_id,  product_name
1.0.0
744C,\tC8,\tAMD Radeon RX 7900 XTX
1586,\tC1,\tAMD Radeon 8060S Graphics
"""
FEATURES = "pni ssse3 sse4_2 f16c fma bmi2 avx avx2"


@dataclass(slots=True)
class LinuxTree:
    """Writes the files of one machine below `root`; `system` reads them back."""

    root: Path
    nvml: FakeNvml = field(default_factory=FakeNvml)
    forbidden: set[str] = field(default_factory=set[str])

    def write(self, path: str, text: str = "") -> LinuxTree:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return self

    def link(self, path: str, target: str) -> LinuxTree:
        link = self.root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
        return self

    def computer(self, total_kib: int, available_kib: int, features: str = FEATURES) -> LinuxTree:
        """What every machine has: one CPU, memory, a kernel, lists of names."""
        self.write("proc/cpuinfo", f"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: {features}\n")
        self.write("proc/meminfo", f"MemTotal: {total_kib} kB\nMemAvailable: {available_kib} kB\n")
        self.write("proc/version", "Linux version 6.8.0-45-generic (buildd@lcy02-amd64-075)\n")
        self.write("proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
        self.write("usr/share/misc/pci.ids", PCI_IDS)
        return self.write("usr/share/libdrm/amdgpu.ids", AMDGPU_IDS)

    def gpu(self, address: str, ids: str, driver: str = "", kind: str = "0x030000", render: str = "") -> LinuxTree:
        """A card on the bus; `ids` is "vendor:device:revision" in hexadecimal."""
        folder = f"sys/bus/pci/devices/{address}"
        vendor, device, revision = ids.split(":")
        self.write(f"{folder}/class", f"{kind}\n")
        self.write(f"{folder}/vendor", f"0x{vendor}\n").write(f"{folder}/device", f"0x{device}\n")
        self.write(f"{folder}/revision", f"0x{revision}\n")
        if driver:
            self.link(f"{folder}/driver", f"../../../../bus/pci/drivers/{driver}")
        if render:
            self.write(f"{folder}/drm/{render}/dev", "226:128\n")
            self.write(f"dev/dri/{render}")
        return self

    def nvidia_driver(self, version: str, cuda: int) -> LinuxTree:
        """The kernel's module and its library; `cuda` as NVML counts: 12060 is 12.6."""
        text = f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Fri Aug 16 21:39:15 UTC 2024\n"
        self.write("proc/driver/nvidia/version", text).write("dev/nvidiactl")
        self.nvml.driver, self.nvml.cuda = version, cuda
        return self

    def system(self, *, nvml: Callable[[], Nvml] | None = None) -> LinuxSystem:
        def can_use(file: Path) -> bool:
            return file.relative_to(self.root).as_posix() not in self.forbidden

        return LinuxSystem(self.root, lambda: 1024, nvml=nvml or (lambda: self.nvml), can_use=can_use)


def never() -> NoReturn:
    """NVIDIA's interface where nobody may ask for it."""
    raise AssertionError("there is no sign of NVIDIA's driver")
