"""Any exception as a cause that can be worded: Quern's own pass through, the rest are named."""

import errno
import logging
from dataclasses import dataclass

from quern.base import QuernError

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class OutOfMemory(QuernError):
    """The machine had no memory left for what was asked."""

    sentence = "There is not enough free memory for this."
    advice = "Close other programs, choose a smaller model or a smaller context, and try again."


@dataclass(eq=False)
class OutOfDisk(QuernError):
    """A file could not be written because the disk is full."""

    sentence = "The disk is full."
    advice = "Free some space, then try again; nothing that was saved before is lost."


@dataclass(eq=False)
class Unexpected(QuernError):
    """An exception that no room foresaw; the log holds its traceback."""

    kind: str
    detail: str

    sentence = "Quern met an error that it did not expect ({kind}: {detail})."
    advice = "Try again; if it comes back, the file in the data folder's logs holds what a bug report needs."


def as_quern_error(error: BaseException) -> QuernError:
    """Return `error` as a cause with a sentence; an unforeseen one is logged with its traceback first."""
    match error:
        case QuernError():
            return error
        case MemoryError():
            return OutOfMemory()
        case OSError() if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return OutOfDisk()
        case _:
            logger.info("unforeseen error", exc_info=error)
            return Unexpected(type(error).__name__, str(error))
