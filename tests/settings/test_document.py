"""Old formats are understood, and edits keep what a person wrote."""

import tomllib

import pytest

from quern.settings.document import FileFormat, Rename, edit_text, read_settings

FORMAT_3 = FileFormat(
    3,
    (
        Rename(2, "look.theme", "appearance.theme"),
        Rename(3, "load.context", "load.n_ctx_cells"),
    ),
)


def test_an_old_file_is_read_by_its_old_names() -> None:
    document = tomllib.loads('[look]\ntheme = "dark"\n[load]\ncontext = 2048\n')
    reading = read_settings(document, FORMAT_3)
    assert reading.values == {"appearance.theme": "dark", "load.n_ctx_cells": 2048}
    assert reading.problems == ()


def test_an_old_name_in_a_newer_file_is_unknown() -> None:
    reading = read_settings({"version": 2, "look": {"theme": "dark"}}, FORMAT_3)
    assert [problem.what for problem in reading.problems] == ['There is no setting named "look.theme".']


def test_saving_an_old_file_renames_its_settings_and_raises_its_version() -> None:
    text = edit_text('[load]\ncontext = 2048\n[look]\ntheme = "dark"\n', {}, (), FORMAT_3)
    document = tomllib.loads(text)
    assert document["version"] == 3
    assert read_settings(document, FORMAT_3).values == {"appearance.theme": "dark", "load.n_ctx_cells": 2048}
    assert "context =" not in text


def test_the_version_of_a_newer_file_is_kept() -> None:
    text = edit_text("version = 9\n", {"appearance.theme": "dark"}, (), FORMAT_3)
    assert tomllib.loads(text) == {"version": 9, "appearance": {"theme": "dark"}}


@pytest.mark.parametrize(
    "text", ["appearance = 3\n", "[appearance.theme]\nx = 1\n", "[[appearance]]\n", 'version = "a"\n']
)
def test_an_edit_that_would_lose_something_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"appearance\.theme|version"):
        edit_text(text, {"appearance.theme": "dark"}, (), FORMAT_3)


def test_dotted_and_inline_tables_are_edited_in_place() -> None:
    for text in ('appearance.theme = "light"\n', 'appearance = { theme = "light" }\n'):
        edited = edit_text(text, {"appearance.theme": "dark"}, (), FORMAT_3)
        assert tomllib.loads(edited)["appearance"] == {"theme": "dark"}
