"""The memory of this machine as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """RAM that this process can count on, in bytes: container limits are already applied.

    `available_bytes` is what can be taken now without swapping, caches of other programs included.
    """

    total_bytes: int
    available_bytes: int
