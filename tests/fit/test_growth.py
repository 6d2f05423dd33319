"""Over every architecture: more context and more sequences never take less, and answers agree with each other."""

from pathlib import Path

import pytest
from tests.fit.fake_estimator import closed, host_room
from tests.fit.forged import GIB, engine
from tests.fit.zoo import ZOO, ZooEntry

from quern.fit.answer.attempt import Attempts
from quern.fit.answer.auto import best_settings
from quern.fit.answer.leeway import leeway_of
from quern.fit.answer.verdict import judge
from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.formula.corrections import Corrections
from quern.fit.formula.instant import InstantEstimator
from quern.fit.goal import Goal, Wish
from quern.fit.measure.runtime_costs import RuntimeCosts
from quern.fit.report import Verdict
from quern.fit.subject import FitSubject
from quern.gguf import read_model_header
from quern.spec import FlashAttention, LoadSettings

ENTRIES = tuple({entry.architecture: entry for entry in ZOO}.values())


def estimator(entry: ZooEntry, folder: Path) -> InstantEstimator:
    header = read_model_header(entry.write(folder / "model.gguf"))
    return InstantEstimator(FitSubject(model=header), engine(), RuntimeCosts(), Corrections())


def totals(known: InstantEstimator, *asked: LoadSettings) -> list[int]:
    sizes: list[int] = []
    for settings in asked:
        try:
            sizes.append(sum(need.needs.total for need in known.needs(settings)))
        except SettingsRefused:
            continue
    return sizes


def remembered(known: InstantEstimator, asked: LoadSettings) -> int:
    """Bytes that are kept between steps. Scratch may shrink with more sequences: each is then shorter."""
    return sum(need.needs.kv + need.needs.recurrent + need.needs.output for need in known.needs(asked))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: one.architecture)
def test_more_never_takes_less_and_the_largest_context_is_maximal(entry: ZooEntry, tmp_path: Path) -> None:
    known = estimator(entry, tmp_path)
    off = closed(flash_attention=FlashAttention.OFF)
    for base in (closed(), off):
        contexts = totals(known, *(_with(base, n_ctx_cells=cells) for cells in (1024, 4096, 16_384)))
        assert contexts == sorted(contexts)
    sequences = [remembered(known, _with(off, n_seq_max=n)) for n in (1, 2, 8)]
    assert sequences == sorted(sequences)
    room = host_room(totals(known, off)[0] + GIB // 2)
    report = judge(known, _with(off, n_ctx_cells=65_536), (room,), 65_536, leeway_of(known.shape))
    attempts = Attempts(known, (room,))
    assert (report.verdict is Verdict.FITS) == attempts.fits(report.settings)
    largest = report.largest_ctx_cells
    assert largest is not None
    assert attempts.fits(_with(off, n_ctx_cells=largest))
    assert largest == 65_536 or not attempts.fits(_with(off, n_ctx_cells=largest + 256))
    chosen = best_settings(known, off, (room,), Wish(goal=Goal.LONGEST_CONTEXT), known.shape)
    assert attempts.fits(chosen)


def _with(settings: LoadSettings, **changes: object) -> LoadSettings:
    return closed(**({"flash_attention": settings.flash_attention} | changes))
