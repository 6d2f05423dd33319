"""The costs of the installed engine are measured, or it is said why not."""

from pathlib import Path

import pytest

from quern.base import Cancelled, CancelToken
from quern.fit import FitUnknown, Needs, RuntimeCosts
from quern.fit.measure.dry_run import DryRunAnswer
from quern.fit.measure.runtime_probe import N_TOKENS, RUNNING_BYTES, measure_costs
from quern.spec import LoadSettings

ASK = "quern.fit.measure.runtime_probe.ask_dry_run"
MIB = 1 << 20


def said(resident: int | None) -> DryRunAnswer:
    return DryRunAnswer(
        devices={"CPU": Needs()},
        plain_weights=0,
        output=4 * N_TOKENS,
        work=0,
        resident=resident,
        knows_weights=False,
        n_vocab=N_TOKENS,
        gpus=(),
    )


def test_this_engine_costs_about_what_is_known() -> None:
    costs, known = measure_costs(), RuntimeCosts()
    assert costs.base_bytes == pytest.approx(known.base_bytes, rel=0.5)
    assert costs.plain_entry_bytes == pytest.approx(known.plain_entry_bytes, rel=0.5)
    assert costs.merged_entry_bytes == pytest.approx(known.merged_entry_bytes, rel=0.5)


def test_entries_are_what_a_vocabulary_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = iter((10 * MIB, 10 * MIB + 7 * N_TOKENS, 10 * MIB + 9 * N_TOKENS))

    def answer(path: Path, _settings: LoadSettings, **_: object) -> DryRunAnswer:
        assert path.is_file()
        return said(4 * N_TOKENS + next(grown))

    monkeypatch.setattr(ASK, answer)
    assert measure_costs() == RuntimeCosts(
        base_bytes=10 * MIB + RUNNING_BYTES, plain_entry_bytes=7, merged_entry_bytes=9
    )


@pytest.mark.parametrize("resident", [None, 0])
def test_a_system_that_does_not_tell_is_a_sentence(monkeypatch: pytest.MonkeyPatch, resident: int | None) -> None:
    def answer(*_: object, **__: object) -> DryRunAnswer:
        return said(resident)

    monkeypatch.setattr(ASK, answer)
    with pytest.raises(FitUnknown) as unknown:
        measure_costs()
    assert "does not say" in unknown.value.what


def test_it_can_be_cancelled() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        measure_costs(cancel)
