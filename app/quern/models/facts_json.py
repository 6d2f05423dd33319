"""ModelFacts as text for the database, and back."""

import json
from dataclasses import asdict
from typing import Any

from quern.gguf import FileKind, ModelFacts, SamplingDefaults

FORMAT = 2  # raise it when ModelFacts or its reading changes: older texts are then read anew from the files


def facts_to_json(facts: ModelFacts) -> str:
    """Return `facts` as one JSON document."""
    return json.dumps({"format": FORMAT, **asdict(facts)})


def facts_from_json(text: str) -> ModelFacts | None:
    """Return the facts in `text`, or None when it is of another format or no such document."""
    try:
        values: dict[str, Any] = json.loads(text)
        if values.pop("format") != FORMAT:
            return None
        sampling = SamplingDefaults(**values.pop("sampling"))
        kind = FileKind(values.pop("kind"))
        garbled_keys, base_models = tuple(values.pop("garbled_keys")), tuple(values.pop("base_models"))
        return ModelFacts(**values, sampling=sampling, kind=kind, garbled_keys=garbled_keys, base_models=base_models)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
