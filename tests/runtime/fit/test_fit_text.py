"""Verdicts, steps and parts in words."""

from dataclasses import fields, replace

import pytest

from quern.fit import Advice, AdviceKind, DeviceFit, FitReport, Needs, Room, RoomKind, Source, Verdict
from quern.runtime.fit.fit_text import (
    Part,
    advice_sentence,
    part_name,
    part_sentence,
    parts_of,
    source_words,
    verdict_sentence,
)
from quern.spec import LoadSettings

GIB = 1024**3
ROOM = Room(device="CPU", label="A CPU", kind=RoomKind.HOST, total=16 * GIB, free=8 * GIB)
CARD = Room(device="CUDA0", label="A card", kind=RoomKind.GPU, total=8 * GIB, free=6 * GIB, margin=GIB)
REPORT = FitReport(
    settings=LoadSettings(n_ctx_cells=4096),
    n_ctx_cells=4096,
    n_ctx_train=131072,
    verdict=Verdict.FITS,
    largest_ctx_cells=41216,
    devices=(DeviceFit(ROOM, Needs(weights=GIB)),),
    advice=(),
    source=Source.INSTANT,
)
STEP = Advice(
    kind=AdviceKind.KV_TYPE,
    device="CPU",
    gain=int(1.9 * GIB),
    detail="q8_0",
    fits=False,
    settings=LoadSettings(),
)


def test_a_fit_is_told_with_the_largest_context() -> None:
    assert verdict_sentence(REPORT) == "Fits. Largest context that fits: 41,216 tokens."


def test_where_the_whole_trained_context_fits_it_says_so() -> None:
    whole = replace(REPORT, n_ctx_train=8192, largest_ctx_cells=8192)
    assert verdict_sentence(whole) == (
        "Fits. Largest context that fits: 8,192 tokens, all that the model was trained for."
    )


def test_an_unknown_trained_context_is_not_taken_for_reached() -> None:
    assert "trained" not in verdict_sentence(replace(REPORT, n_ctx_train=0))


def test_more_context_than_the_model_was_trained_for_is_told_as_such() -> None:
    beyond = replace(REPORT, n_ctx_train=2048, largest_ctx_cells=2048)
    assert verdict_sentence(beyond) == (
        "Fits. It is more context than the 2,048 tokens that the model was trained for."
    )


def test_several_requests_are_told_what_they_share_and_what_one_may_use() -> None:
    beyond = replace(REPORT, n_ctx_cells=32768, n_ctx_train=8192, largest_ctx_cells=8192)
    shared = replace(beyond, settings=replace(REPORT.settings, n_seq_max=4))
    assert verdict_sentence(shared) == (
        "Fits. 4 requests share 32,768 tokens of context; each may use 8,192, all that the model was trained for."
    )
    apart = replace(beyond, settings=replace(REPORT.settings, n_seq_max=8, kv_unified=False))
    assert verdict_sentence(apart) == "Fits. 8 requests share 32,768 tokens of context; each may use 4,096."


def test_too_large_says_how_much_is_missing_and_where() -> None:
    host = replace(REPORT, verdict=Verdict.TOO_LARGE, largest_ctx_cells=None)
    host = replace(host, devices=(DeviceFit(ROOM, Needs(weights=10 * GIB)),))
    assert verdict_sentence(host) == "Too large: 2.0 GiB more memory would be needed."
    card = replace(host, devices=(DeviceFit(ROOM, Needs()), DeviceFit(CARD, Needs(weights=7 * GIB))))
    assert verdict_sentence(card) == "Too large: 1.0 GiB more memory of A card would be needed."


def test_too_large_with_a_context_that_fits_names_it() -> None:
    report = replace(REPORT, verdict=Verdict.TOO_LARGE, devices=(DeviceFit(ROOM, Needs(kv=9 * GIB)),))
    assert verdict_sentence(report).endswith("Largest context that fits: 41,216 tokens.")


@pytest.mark.parametrize(
    ("verdict", "beginning"), [(Verdict.TIGHT, "Tight:"), (Verdict.PARTIAL, "Does not fit like this, but does")]
)
def test_every_other_verdict_has_its_sentence(verdict: Verdict, beginning: str) -> None:
    assert verdict_sentence(replace(REPORT, verdict=verdict)).startswith(beginning)


def test_a_step_is_told_with_its_gain() -> None:
    assert advice_sentence(STEP) == "KV cache q8_0: -1.9 GiB"
    assert advice_sentence(replace(STEP, fits=True)) == "KV cache q8_0: -1.9 GiB, then it fits"


def test_a_step_that_moves_bytes_to_a_device_says_which() -> None:
    moved = replace(STEP, kind=AdviceKind.MORE_GPU_LAYERS, device="CUDA0", gain=-GIB, detail="24 of 33 layers")
    assert advice_sentence(moved) == "24 of 33 layers on the GPU: +1.0 GiB on CUDA0"


def test_a_step_without_a_figure_is_told_without_one() -> None:
    assert advice_sentence(replace(STEP, gain=0)) == "KV cache q8_0"
    assert advice_sentence(replace(STEP, gain=0, fits=True)) == "KV cache q8_0: then it fits"


def test_steps_that_only_help_together_are_told_together() -> None:
    detail = "64 + fewer gpu layers 3 of 9 layers + kv type q8_0"
    together = replace(STEP, kind=AdviceKind.SMALLER_UBATCH, detail=detail)
    assert (
        advice_sentence(together)
        == "Smaller prompt steps (ubatch 64) + 3 of 9 layers on the GPU + KV cache q8_0: -1.9 GiB"
    )


@pytest.mark.parametrize("kind", AdviceKind)
def test_every_step_has_a_name(kind: AdviceKind) -> None:
    assert advice_sentence(replace(STEP, kind=kind, detail="", gain=0))


@pytest.mark.parametrize("part", Part)
def test_every_part_has_a_name_and_a_sentence_with_its_number(part: Part) -> None:
    assert part_name(part)
    sentence = part_sentence(part.value, 3 * GIB)
    assert "3.0 GiB" in sentence
    assert sentence.endswith(".")


def test_the_parts_name_every_need_in_order() -> None:
    assert [part.value for part in Part][: len(fields(Needs))] == [field.name for field in fields(Needs)]


def test_a_device_is_told_part_by_part_and_adds_up() -> None:
    room = replace(ROOM, own=3 * GIB, reclaimable=GIB)
    device = DeviceFit(room, Needs(weights=4 * GIB, kv=GIB))
    assert parts_of(device) == (
        (Part.WEIGHTS, 4 * GIB),
        (Part.KV, GIB),
        (Part.OWN, 2 * GIB),
        (Part.OTHER, 5 * GIB),
        (Part.FREE, 4 * GIB),
    )
    assert sum(n_bytes for _, n_bytes in parts_of(device)) == room.total


def test_a_device_that_is_overfull_has_nothing_free() -> None:
    parts = dict(parts_of(DeviceFit(ROOM, Needs(weights=9 * GIB))))
    assert Part.FREE not in parts


@pytest.mark.parametrize("source", Source)
def test_every_source_is_told_as_a_clause(source: Source) -> None:
    assert source_words(source).startswith(("estimated", "measured"))
