"""A conversation's own sampling parameters as the JSON that its column keeps."""

import dataclasses
import json
from typing import Any

from quern.spec import SamplingParams

_NAMES = frozenset(field.name for field in dataclasses.fields(SamplingParams))


def write_sampling(sampling: SamplingParams | None) -> str | None:
    """Return `sampling` as JSON, or None for the defaults."""
    return None if sampling is None else json.dumps(dataclasses.asdict(sampling))


def read_sampling(column: str | None) -> SamplingParams | None:
    """Return what `write_sampling` wrote; names that this Quern does not know are left out."""
    if column is None:
        return None
    values: dict[str, Any] = {name: value for name, value in json.loads(column).items() if name in _NAMES}
    values["stop"] = tuple(values.get("stop", ()))
    return SamplingParams(**values)
