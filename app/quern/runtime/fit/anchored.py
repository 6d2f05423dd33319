"""The instant formulas, moved so that they say exactly what llama.cpp said wherever it was asked."""

from dataclasses import fields

from quern.fit import DeviceNeed, Estimator, Needs, Source
from quern.spec import LoadSettings

_Errors = dict[str, dict[str, int]]  # bytes by device and part
_PARTS = tuple(field.name for field in fields(Needs))


class Anchored:
    """An Estimator that asks llama.cpp a few times and not for each of the dozens of questions of a judgement.

    Elsewhere the formulas answer, corrected by their error at the two nearest contexts that llama.cpp was asked about,
    in a straight line. Not thread-safe.
    """

    def __init__(self, instant: Estimator, exact: Estimator) -> None:
        self._instant = instant
        self._exact = exact
        self._known: dict[LoadSettings, tuple[DeviceNeed, ...]] = {}
        self._errors: list[tuple[int, _Errors]] = []  # by context

    @property
    def source(self) -> Source:
        """EXACT."""
        return self._exact.source

    def knows(self, settings: LoadSettings) -> bool:
        """Whether llama.cpp was asked about `settings`."""
        return settings in self._known

    def anchor(self, settings: LoadSettings) -> None:
        """Ask llama.cpp about `settings`. Raises what either estimator raises."""
        reckoned = {need.device: need.needs for need in self._instant.needs(settings)}
        found = self._exact.needs(settings)
        self._known[settings] = found
        errors = {need.device: _difference(need.needs, reckoned.get(need.device, Needs())) for need in found}
        self._errors.append((settings.n_ctx_cells or 0, errors))

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what each device must hold, the host first. Raises what the instant estimator raises."""
        known = self._known.get(settings)
        if known is not None:
            return known
        errors = self._errors_at(settings.n_ctx_cells or 0)
        return tuple(
            DeviceNeed(need.device, _moved(need.needs, errors.get(need.device, {})), need.mapped)
            for need in self._instant.needs(settings)
        )

    def _errors_at(self, n_cells: int) -> _Errors:
        near, *others = sorted(self._errors, key=lambda found: abs(found[0] - n_cells))
        other = next((found for found in others if found[0] != near[0]), None)
        if other is None:
            return near[1]
        share = (n_cells - near[0]) / (other[0] - near[0])
        return {
            device: {
                name: round(error + share * (_error(other[1], device, name) - error)) for name, error in parts.items()
            }
            for device, parts in near[1].items()
        }


def _error(errors: _Errors, device: str, part: str) -> int:
    return errors.get(device, {}).get(part, 0)


def _difference(exact: Needs, reckoned: Needs) -> dict[str, int]:
    return {name: getattr(exact, name) - getattr(reckoned, name) for name in _PARTS}


def _moved(needs: Needs, errors: dict[str, int]) -> Needs:
    return Needs(**{name: max(0, getattr(needs, name) + errors.get(name, 0)) for name in _PARTS})
