"""Chooses the best settings for a goal: what llama.cpp's common_fit_params does (common/fit.cpp), and more."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from quern.fit.buffer.kv_cache import MOST_SEQUENCES
from quern.fit.choice import CELL_STEP, MAX_CTX_CELLS
from quern.fit.estimator import Estimator
from quern.fit.goal import Goal, Wish
from quern.fit.room import Room
from quern.fit.shape.model_shape import ModelShape
from quern.spec import FlashAttention, KvType, LoadSettings

from .attempt import Attempts
from .auto_placement import Placer
from .largest import largest_ctx, with_cells
from .step import USEFUL_CTX_CELLS, with_kv_type

_WORTH_IT = 1.1  # a concession must bring a tenth more context


def best_settings(
    estimator: Estimator, base: LoadSettings, rooms: Iterable[Room], wish: Wish, shape: ModelShape
) -> LoadSettings:
    """Return the best settings for `wish`; what it does not decide stays as in `base`, which leaves nothing open.

    Decided are the context (and the sequences, for USERS), GPU layers, their split, experts on the CPU, the short cache
    of sliding windows, and the KV type where the wish allows it. `base.n_gpu_layers` 0 keeps the model on the CPU. The
    result keeps every margin where any settings do; else it lacks least, with a context of 4,096 cells (or the trained
    one, or the base's where that is smaller). The same question has the same answer, and a few hundred questions are
    asked of the estimator at most. Raises FitUnknown, SettingsRefused, DeviceGone.
    """
    attempts = Attempts(estimator, tuple(rooms))
    chooser = _Chooser(attempts, shape, base, wish)
    chosen = chooser.chosen()
    found, default = attempts.outcome(chosen), attempts.attempt(base)
    if not found.fits and default is not None and default.lack < found.lack:
        return base
    return chosen


class _Chooser:
    """One choice: the concessions that are allowed, most harmless first, and the contexts asked for."""

    def __init__(self, attempts: Attempts, shape: ModelShape, base: LoadSettings, wish: Wish) -> None:
        assert base.n_ctx_cells is not None, "settings must leave nothing open (see resolve)"
        self._attempts = attempts
        self._placer = Placer(attempts, shape, keeps_to_host=base.n_gpu_layers == 0)
        self._wish = wish
        self._n_users = max(1, min(wish.n_users, MOST_SEQUENCES)) if wish.goal is Goal.USERS else 1
        self._trained = _padded(shape.n_ctx_train) if shape.n_ctx_train > 0 else base.n_ctx_cells
        self._useful = min(USEFUL_CTX_CELLS, self._trained)
        self._asked = base.n_ctx_cells
        self._base = base
        if wish.goal is Goal.USERS:  # each gets what one request has now, so that asking again changes nothing
            self._asked = base.n_ctx_cells // max(1, base.n_seq_max)
            self._base = replace(base, n_seq_max=self._n_users, kv_unified=True)

    def chosen(self) -> LoadSettings:
        match self._wish.goal:
            case Goal.LONGEST_CONTEXT:
                return self._longest(self._trained, self._useful)
            case Goal.FASTEST:
                return self._fastest(self._asked, min(self._useful, self._asked))
            case Goal.USERS:
                each = max(self._asked, self._useful)
                return self._fastest(self._for_all(each), self._for_all(self._useful))

    def _longest(self, most: int, least: int) -> LoadSettings:
        """The largest context in any placement, and of the placements that have it the fastest."""
        best: tuple[int, LoadSettings] | None = None
        for settings in self._variants():
            cells = largest_ctx(self._attempts, settings, most, self._placed)
            if cells is not None and cells >= least and (best is None or cells > best[0] * _WORTH_IT):
                best = (cells, self._placed(settings, cells))
                if cells >= most:
                    break
        return self._least_lacking(least) if best is None else best[1]

    def _fastest(self, cells: int, least: int) -> LoadSettings:
        """All of it on the GPUs if any concession makes that possible, else the context asked for, else a smaller."""
        fitting: LoadSettings | None = None
        for settings in self._variants():
            placed = self._placed(settings, cells)
            if not self._attempts.fits(placed):
                continue
            if self._placer.holds_all(placed):
                return placed
            fitting = fitting or placed
        return fitting or self._longest(cells, least)

    def _least_lacking(self, cells: int) -> LoadSettings:
        placed = [self._placed(settings, cells) for settings in self._variants()]
        return min(placed, key=lambda settings: self._attempts.outcome(settings).lack)

    def _placed(self, settings: LoadSettings, cells: int) -> LoadSettings:
        return self._placer.placed(with_cells(settings, cells))

    def _variants(self) -> list[LoadSettings]:
        """The base with no concession, one, and all; without those that the engine refuses or that change nothing."""
        plain = self._base
        concessions: list[Callable[[LoadSettings], LoadSettings]] = []
        if plain.swa_full and self._gains(plain, _short_window(plain)):
            concessions.append(_short_window)
        if self._wish.allows_quantized_kv and self._gains(plain, _eight_bits(plain)):
            concessions.append(_eight_bits)
        variants = [plain, *(concede(plain) for concede in concessions)]
        if len(concessions) > 1:
            variants.append(_eight_bits(_short_window(plain)))
        return variants

    def _gains(self, plain: LoadSettings, conceded: LoadSettings) -> bool:
        before = self._attempts.attempt(with_cells(plain, self._trained))
        after = self._attempts.attempt(with_cells(conceded, self._trained))
        return after is not None and (before is None or after.spare > before.spare or after.lack < before.lack)

    def _for_all(self, cells: int) -> int:
        return min(self._n_users * cells, MAX_CTX_CELLS)


def _short_window(settings: LoadSettings) -> LoadSettings:
    return replace(settings, swa_full=False)


def _eight_bits(settings: LoadSettings) -> LoadSettings:
    changed = with_kv_type(settings, KvType.Q8_0)
    return replace(changed, flash_attention=FlashAttention.ON)


def _padded(n_cells: int) -> int:
    return min(-(-n_cells // CELL_STEP) * CELL_STEP, MAX_CTX_CELLS)
