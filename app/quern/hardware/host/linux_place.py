"""The marks that containers and WSL leave in a Linux file system."""

from pathlib import Path

from quern.hardware.place import Place

from .linux_file import is_there, read_text

# A file that the container's engine writes -> what it is called.
_MARKS = {
    "run/secrets/kubernetes.io": "kubernetes",
    "var/run/secrets/kubernetes.io": "kubernetes",
    "run/.containerenv": "podman",
    ".dockerenv": "docker",
}
# A part of a control group's path -> the same (cgroups of version 1 show the path outside of the container).
_GROUPS = {"kubepods": "kubernetes", "libpod": "podman", "docker": "docker", "lxc": "lxc"}


def linux_place(root: Path) -> Place:
    """Return where the Linux below `root` runs."""
    return Place(
        system="Linux",
        container=_container(root),
        is_wsl="microsoft" in read_text(root / "proc/version").lower(),
    )


def _container(root: Path) -> str | None:
    for mark, name in _MARKS.items():
        if is_there(root / mark):
            return name
    # systemd's container interface: the manager writes its name there.
    if written := read_text(root / "run/systemd/container"):
        return written
    groups = read_text(root / "proc/self/cgroup")
    return next((name for part, name in _GROUPS.items() if part in groups), None)
