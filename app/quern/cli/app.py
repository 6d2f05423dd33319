"""`quern ...`: the command line, one verb per file."""

from collections.abc import Sequence

from quern.base import QuernError

from .failure import EXIT_INTERRUPTED, say_failure
from .output import use_utf8
from .version import print_version, print_versions_json


def main(args: Sequence[str]) -> int:
    """Run a verb and return its exit code: 0, 1 (failed; one sentence on stderr), 2 (usage) or 130 (stopped)."""
    use_utf8()
    match sorted(args):
        case ["--version"]:
            print_version()
            return 0
        case ["--json", "--version"]:
            print_versions_json()
            return 0
        case _:
            pass
    try:
        from .command import commands

        commands()(args, prog_name="quern")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        return say_failure(_cause(error))
    return 0


def _cause(error: Exception) -> QuernError:
    from quern.runtime import as_quern_error

    return as_quern_error(error)
