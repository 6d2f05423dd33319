"""When what was found out about machine and engine has to be found out anew."""

from .system import System, this_system


def machine_stamp(system: System | None = None) -> str:
    """Return a text that changes after sleep, a new driver, and when a card or its device file comes or goes.

    A few milliseconds; safe in any thread. What was found under another stamp may no longer hold.
    """
    return (system or this_system()).stamp()
