"""Whether an adapter's matrices go with a model's weights, as llama.cpp asks before it loads it."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import QuernError
from quern.gguf import ModelHeader, TensorInfo

_TABLE = "token_embd.weight"
# Which side of a matrix is as long as which side of the weights; those of the embedding table lie turned.
_SIDES = {"lora_a": (0, 0), "lora_b": (1, 1)}
_TABLE_SIDES = {"lora_a": (1, 1), "lora_b": (1, 0)}
_FEWEST_SIDES = 2


@dataclass(eq=False)
class MisfitAdapter(QuernError):
    """An adapter whose matrices the engine cannot put on this model; `reason` is a clause without a full stop."""

    path: Path
    reason: str

    sentence = '"{path.name}" cannot change this model: {reason}.'
    advice = "Choose an adapter that was trained on this model."


def check_adapter(path: Path, adapter: ModelHeader, model: ModelHeader) -> None:
    """Raise MisfitAdapter where llama.cpp would refuse `adapter`, which is at `path`, for `model`.

    src/llama-adapter.cpp, llama_adapter_lora_init_impl; norms, which it passes over, are passed over.
    """
    weights = {tensor.name: tensor for tensor in model.tensors}
    for matrix in adapter.tensors:
        name, _, part = matrix.name.rpartition(".")
        if part not in _SIDES:
            if matrix.name.endswith("_norm.weight"):
                continue
            raise MisfitAdapter(path, f'it holds "{matrix.name}", which is no matrix of an adapter')
        weight = weights.get(name)
        if weight is None:
            raise MisfitAdapter(path, f'it is for weights "{name}", which the model does not have')
        if not _goes_with(matrix, part, weight):
            raise MisfitAdapter(path, f'its matrices for "{name}" have another size than the weights')


def _goes_with(matrix: TensorInfo, part: str, weight: TensorInfo) -> bool:
    side, weight_side = (_TABLE_SIDES if weight.name == _TABLE else _SIDES)[part]
    if min(len(matrix.dimensions), len(weight.dimensions)) < _FEWEST_SIDES:
        return False
    return matrix.dimensions[side] == weight.dimensions[weight_side]
