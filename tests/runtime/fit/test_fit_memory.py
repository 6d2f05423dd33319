"""What loads took is remembered, bounded, and never in the way."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from quern.base import Database, DiskFull, Json
from quern.fit import DeviceNeed, Needs
from quern.runtime.fit import fit_memory
from quern.runtime.fit.fit_memory import MAX_LOADS_PER_MODEL, FitMemory
from quern.runtime.fit.measured_load import MeasuredLoad, needs_from_json, needs_to_json
from quern.runtime.load.place import Place
from quern.spec import LoadSettings

PLACE = Place("model", "build", "device")
NEEDS = (DeviceNeed("CPU", Needs(weights=3, kv=2, runtime=1), mapped=2), DeviceNeed("CUDA0", Needs(compute=7)))
LOAD = MeasuredLoad(
    loaded_at=1000.5, settings=LoadSettings(n_ctx_cells=512), estimated=NEEDS, measured=NEEDS[:1], resident_bytes=9
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "quern.db", (fit_memory.TABLES,), tmp_path / "backups")
    yield opened
    opened.close()


def load_number(number: int) -> MeasuredLoad:
    settings = LoadSettings(n_ctx_cells=256 * (number + 1))
    return replace(LOAD, loaded_at=float(number), settings=settings)


def words(lesson: Json) -> str:
    """Read a lesson that is one text."""
    if not isinstance(lesson, str):
        raise ValueError("no text")
    return lesson


def test_a_load_comes_back_as_it_was(database: Database) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, LOAD)
    assert memory.loads(PLACE) == (LOAD,)


def test_the_newest_load_comes_first_and_one_with_the_same_settings_takes_the_place_of_the_older(
    database: Database,
) -> None:
    memory = FitMemory(database)
    for number in (1, 3, 2):
        memory.remember_load(PLACE, load_number(number))
    again = replace(load_number(1), loaded_at=9.0, resident_bytes=77)
    memory.remember_load(PLACE, again)
    assert memory.loads(PLACE) == (again, load_number(3), load_number(2))


@pytest.mark.parametrize(
    "elsewhere", [Place("other", "build", "device"), Place("model", "new", "device"), Place("model", "build", "moved")]
)
def test_loads_of_another_model_engine_or_machine_are_not_mixed_in(database: Database, elsewhere: Place) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, LOAD)
    assert memory.loads(elsewhere) == ()


def test_only_the_newest_loads_of_each_model_are_kept(database: Database) -> None:
    memory = FitMemory(database)
    other = Place("other", "build", "device")
    memory.remember_load(other, LOAD)
    for number in range(MAX_LOADS_PER_MODEL + 5):
        memory.remember_load(PLACE, load_number(number))
    kept = [load.loaded_at for load in memory.loads(PLACE)]
    assert kept == [float(number) for number in range(MAX_LOADS_PER_MODEL + 4, 4, -1)]
    assert memory.loads(other) == (LOAD,)


@pytest.mark.parametrize("column", ["settings", "estimated", "measured"])
@pytest.mark.parametrize("damage", ["", "{}", "[1]", "null", '[{"device": "CPU", "weights": "many"}]', '[{"kv": 1}]'])
def test_a_row_that_cannot_be_understood_is_passed_over(database: Database, column: str, damage: str) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, LOAD)
    with database.transaction() as connection:
        connection.execute(f"UPDATE fit_loads SET {column} = ?", (damage,))
    memory.remember_load(PLACE, load_number(3))
    assert memory.loads(PLACE) == (load_number(3),)


@pytest.mark.parametrize(
    ("field", "damage"),
    [
        ("n_ctx_cells", None),
        ("n_ctx_cells", -7),
        ("n_ctx_cells", 0),
        ("n_ctx_cells", 10**18),
        ("n_batch_tokens", 0),
        ("n_ubatch_tokens", -1),
        ("n_seq_max", 0),
    ],
)
def test_settings_that_no_load_had_are_passed_over(database: Database, field: str, damage: int | None) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, replace(LOAD, settings=replace(LOAD.settings, **{field: damage})))
    assert memory.loads(PLACE) == ()


@pytest.mark.parametrize("loaded_at", [1e300, 1e12, -1.0, inf])
def test_a_moment_that_no_calendar_has_is_passed_over(database: Database, loaded_at: float) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, replace(LOAD, loaded_at=loaded_at))
    assert memory.loads(PLACE) == ()


def test_a_need_below_nothing_is_passed_over(database: Database) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, replace(LOAD, measured=(DeviceNeed("CPU", Needs(weights=-5)),)))
    assert memory.loads(PLACE) == ()


def test_tables_that_are_gone_cost_what_was_remembered_and_no_error(database: Database) -> None:
    memory = FitMemory(database)
    with database.transaction() as connection:
        connection.execute("DROP TABLE fit_loads")
        connection.execute("DROP TABLE fit_lessons")
    memory.remember_load(PLACE, LOAD)
    memory.learn("llama", "build", "lost", 1.0)
    assert memory.loads(PLACE) == ()
    assert memory.lesson("llama", "build", words) is None


def test_a_lesson_comes_back_and_the_lesson_of_an_older_engine_is_forgotten(database: Database) -> None:
    memory = FitMemory(database)
    memory.learn("llama", "old", "first", 1.0)
    memory.learn("gemma3", "old", "kept", 1.0)
    memory.learn("llama", "build", "second", 2.0)
    assert memory.lesson("llama", "build", words) == "second"
    assert memory.lesson("llama", "old", words) is None
    assert memory.lesson("gemma3", "old", words) == "kept"


def test_a_lesson_in_foreign_words_is_none(database: Database) -> None:
    memory = FitMemory(database)
    memory.learn("llama", "build", {"tongue": "unknown"}, 1.0)
    assert memory.lesson("llama", "build", words) is None
    with database.transaction() as connection:
        connection.execute("UPDATE fit_lessons SET lesson = 'no JSON'")
    assert memory.lesson("llama", "build", words) is None


def test_a_database_that_others_own_is_read_and_never_written(database: Database) -> None:
    FitMemory(database).remember_load(PLACE, LOAD)
    theirs = Database.open_read_only(database.path, (fit_memory.TABLES,))
    try:
        memory = FitMemory(theirs)
        memory.remember_load(PLACE, load_number(4))
        memory.learn("llama", "build", "unheard", 1.0)
        assert memory.loads(PLACE) == (LOAD,)
        assert memory.lesson("llama", "build", words) is None
    finally:
        theirs.close()


def test_without_a_database_nothing_is_remembered_and_nothing_fails() -> None:
    memory = FitMemory(None)
    memory.remember_load(PLACE, LOAD)
    memory.learn("llama", "build", "unheard", 1.0)
    assert memory.loads(PLACE) == ()
    assert memory.lesson("llama", "build", words) is None


def test_a_database_that_fails_costs_what_is_known_and_no_error(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = FitMemory(database)
    memory.remember_load(PLACE, LOAD)

    def broken(_self: Database) -> None:
        raise DiskFull(database.path)

    monkeypatch.setattr(Database, "transaction", broken)
    memory.remember_load(PLACE, load_number(4))
    assert memory.loads(PLACE) == (LOAD,)
    monkeypatch.setattr(Database, "reading", broken)
    assert memory.loads(PLACE) == ()


def test_needs_survive_json() -> None:
    assert needs_from_json(needs_to_json(NEEDS)) == NEEDS
