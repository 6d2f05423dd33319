"""How every model of the library fits is found out in the background, and only for somebody who looks."""

from quern.fit import FitUnknown, Verdict
from tests.gui.conftest import Place
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import GIB, Toy, ToyModel
from tests.gui.widgets.fit_panel.sample import LAPTOP


def verdicts(place: Place) -> dict[str, Verdict | None]:
    reports = {entry.name: place.desk.shelf_fit.report(entry) for entry in place.desk.shelf.entries}
    return {name: None if report is None else report.verdict for name, report in reports.items()}


def open_three(place: Place) -> None:
    place.app.library.entries = [model_entry(name) for name in ("small", "large", "strange")]
    place.app.fits.toys = {
        "large": Toy(model=ToyModel(weights=40 * GIB), rooms=(LAPTOP,)),
        "strange": Toy(refused_open=FitUnknown("its header lies")),
    }
    place.open()


def test_nothing_is_found_out_until_somebody_looks(place: Place) -> None:
    open_three(place)
    assert place.app.fits.toy.opened == []
    place.desk.shelf_fit.ask()
    wanted = {"small": Verdict.FITS, "large": Verdict.TOO_LARGE, "strange": None}
    place.qtbot.waitUntil(lambda: verdicts(place) == wanted)


def test_what_is_known_is_not_asked_again_until_memory_is_used_otherwise(place: Place) -> None:
    open_three(place)
    place.desk.shelf_fit.ask()
    place.qtbot.waitUntil(lambda: len(place.app.fits.toys["strange"].opened) == 1)
    place.qtbot.waitUntil(lambda: verdicts(place)["large"] is Verdict.TOO_LARGE)
    place.qtbot.wait(100)  # the first load is told, which may ask anew
    before = len(place.app.fits.toys["large"].opened)
    place.desk.shelf.refresh()
    place.qtbot.wait(50)
    assert len(place.app.fits.toys["large"].opened) == before
    place.desk.shelf.unload()
    place.qtbot.waitUntil(lambda: len(place.app.fits.toys["large"].opened) > before)


def test_other_settings_are_another_question(place: Place) -> None:
    open_three(place)
    place.desk.shelf_fit.ask()
    place.qtbot.waitUntil(lambda: verdicts(place)["small"] is Verdict.FITS)
    place.desk.preferences.change("load.n_ctx_cells", 8192)
    entry = place.desk.shelf.entries[0]

    def cells() -> int:
        report = place.desk.shelf_fit.report(entry)
        return 0 if report is None else report.n_ctx_cells

    place.qtbot.waitUntil(lambda: cells() == 8192)


def test_a_page_that_is_left_stops_the_asking(place: Place) -> None:
    open_three(place)
    place.desk.shelf_fit.ask()
    place.desk.shelf_fit.rest()
    place.qtbot.waitUntil(lambda: place.desk.shelf.resident is not None)
    known = verdicts(place)
    place.desk.shelf.unload()
    place.qtbot.wait(80)
    assert verdicts(place) == known
