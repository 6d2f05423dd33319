"""What the parts of a split model say of themselves, and whether they belong together."""

from collections.abc import Sequence
from pathlib import Path

from quern.gguf.errors import ShardsDisagree
from quern.gguf.reading.header import Header


def check_parts(paths: Sequence[Path], headers: Sequence[Header]) -> None:
    """Raise ShardsDisagree unless `headers`, read from `paths` in this order, are all parts of one model.

    The rules are those of llama.cpp (src/llama-model-loader.cpp, llama_model_loader) and, because it reads metadata
    from the first part only, that no later part contradicts it. A file of its own is part 1 of 1.
    """
    for number, (path, header) in enumerate(zip(paths, headers, strict=True), start=1):
        _check_place(path, header, number, len(headers))
        _check_architecture(path, header, headers[0])
    _check_tensors(paths, headers)


def _check_place(path: Path, header: Header, number: int, count: int) -> None:
    said_count = header.integer("split.count")
    if number > 1 and said_count is None:
        said_count = count  # llama.cpp asks the first part only
    said = ((header.integer("split.no") or 0) + 1, max(1, said_count or 1))
    if said != (number, count):
        place = "it was opened by itself" if count == 1 else f"it was opened as part {number} of {count}"
        raise ShardsDisagree(path, f"it says that it is part {said[0]:,} of {said[1]:,}, and {place}")


def _check_architecture(path: Path, header: Header, first: Header) -> None:
    said, expected = (one.string("general.architecture") for one in (header, first))
    if said is not None and said != expected:
        raise ShardsDisagree(path, f"it holds a part of a {said} model, and the first part a {expected} model")


def _check_tensors(paths: Sequence[Path], headers: Sequence[Header]) -> None:
    seen: set[str] = set()
    for path, header in zip(paths, headers, strict=True):
        for tensor in header.tensors:
            if tensor.name in seen:
                raise ShardsDisagree(path, f'it holds the tensor "{tensor.name}", which an earlier part holds too')
            seen.add(tensor.name)
    for path, header in zip(paths, headers, strict=True):
        said = header.integer("split.tensors.count")
        if said is not None and said != len(seen):
            raise ShardsDisagree(path, f"it says that the model has {said:,} tensors, and there are {len(seen):,}")
