"""The memory of this machine as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """RAM that this process can count on, in bytes: container limits are already applied, and memory that belongs to
    a GPU (Grace) does not count.

    `available_bytes` is what can be taken now without swapping, caches of other programs included. `own_bytes` is what
    this process holds itself. `installed_bytes` is what the machine has where a container leaves less of it, else None.
    """

    total_bytes: int
    available_bytes: int
    own_bytes: int = 0
    installed_bytes: int | None = None

    @property
    def others_bytes(self) -> int:
        """What other programs and the system hold."""
        return max(0, self.total_bytes - self.available_bytes - self.own_bytes)
