"""Where a process runs: which operating system, and whether inside another one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The operating system ("Linux", "macOS", "Windows") and what lies between it and the hardware.

    `container` is what runs this process ("docker", "podman", "kubernetes"), None outside of any. `is_wsl` says that
    this Linux runs inside Windows, `is_translated` that this program was built for another CPU (Rosetta).
    """

    system: str = ""
    container: str | None = None
    is_wsl: bool = False
    is_translated: bool = False
