"""What the best settings are best for."""

from dataclasses import dataclass
from enum import StrEnum


class Goal(StrEnum):
    """LONGEST_CONTEXT that fits, FASTEST (everything on the GPU that can be, a working context), or USERS at once."""

    LONGEST_CONTEXT = "longest_context"
    FASTEST = "fastest"
    USERS = "users"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A goal and what a person allows for it; `n_users` counts for USERS only."""

    goal: Goal = Goal.FASTEST
    n_users: int = 1
    allows_quantized_kv: bool = False
