"""`quern list` and `quern show`: the models that are there, the bad ones named as such."""

import json
from pathlib import Path

import pytest
from tests.gguf.forge import CHATML, TinyModel, forge_llama_model

from quern.base import Home, Ownership

from .conftest import Run


@pytest.fixture
def models(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The own models folder of a Quern without a starter model."""
    monkeypatch.setattr("quern.models.library.starter_path", lambda: None)
    return own_home / "models"


def test_list_names_the_starter_model(run: Run, starter_model: Path) -> None:
    (found,) = json.loads(run("list", "--json").out)
    assert found["path"] == str(starter_model)
    assert found["origin"] == "starter"
    assert found["problem"] is None
    assert found["size_bytes"] == starter_model.stat().st_size
    assert found["n_ctx_train"] == 8192


def test_list_shows_a_table_with_good_and_bad_models(run: Run, models: Path) -> None:
    forge_llama_model(models / "tiny.gguf", TinyModel(chat_template=CHATML))
    (models / "page.gguf").write_text("<!DOCTYPE html>" + " " * 5000)
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Model")
    assert [line for line in ran.out.splitlines() if line != line.rstrip()] == []
    assert "tiny" in ran.out
    assert "it is a web page" in ran.out
    problems = [entry["problem"] for entry in json.loads(run("list", "--json").out)]
    assert sorted(problem is None for problem in problems) == [False, True]


def test_list_without_models_says_how_to_get_one_and_prints_nothing(run: Run, models: Path) -> None:
    ran = run("list")
    assert (ran.code, ran.out) == (0, "")
    assert str(models) in ran.err
    assert json.loads(run("list", "--json").out) == []


def test_show_tells_what_a_model_is(run: Run, models: Path) -> None:
    advice = {"general.sampling.temp": 0.25, "general.sampling.top_k": 9}
    forge_llama_model(models / "tiny.gguf", TinyModel(chat_template=CHATML, metadata=advice))
    ran = run("show", "tiny")
    assert (ran.code, ran.err) == (0, "")
    assert "512 tokens" in ran.out
    assert "temperature 0.25, top_k 9" in ran.out
    document = json.loads(run("show", "tiny", "--json").out)
    assert document["n_layer"] == 2
    assert document["sampling"] == {"temperature": 0.25, "top_k": 9}
    assert document["chat_templates"] == {"default": CHATML}


def test_show_takes_a_path_too(run: Run, tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "elsewhere" / "möd el.gguf")
    ran = run("show", str(path))
    assert ran.code == 0
    assert "none: the model was probably not trained to chat" in ran.out


def test_a_name_in_a_file_cannot_drive_the_terminal(run: Run, models: Path) -> None:
    name = "evil\x1b]0;title\x07[bold red]name"
    path = forge_llama_model(models / "evil.gguf", TinyModel(metadata={"general.name": name}))
    for ran in (run("list"), run("show", str(path))):
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "\x07" not in ran.out
    assert "[bold red]name" in run("show", str(path)).out


@pytest.mark.parametrize("verb", ["show", "chat"])
def test_an_unknown_name_is_one_sentence_with_a_suggestion(run: Run, verb: str) -> None:
    ran = run(verb, "135m-instruct", *(["--once", "hi"] if verb == "chat" else []))
    assert ran.is_one_sentence_failure
    assert "SmolLM2-135M-Instruct" in ran.err


def test_a_second_process_reads_while_another_owns_the_folder(run: Run, own_home: Path) -> None:
    home = Home(own_home)
    home.prepare()
    with Ownership.claim(home, "window"):
        ran = run("list", "--json")
    assert ran.code == 0
    assert len(json.loads(ran.out)) == 1


def test_problems_of_the_settings_are_told_and_stop_nothing(run: Run, own_home: Path) -> None:
    own_home.mkdir()
    (own_home / "settings.toml").write_text('[appearance]\nthem = "dark"\n')
    ran = run("list", "--json")
    assert ran.code == 0
    assert 'no setting named "appearance.them"' in ran.err
    assert len(json.loads(ran.out)) == 1


def test_a_damaged_database_is_kept_and_told(run: Run, own_home: Path) -> None:
    own_home.mkdir()
    (own_home / "quern.db").write_bytes(b"not a database at all" * 100)
    ran = run("list", "--json")
    assert ran.code == 0
    assert "was damaged; it is kept as" in ran.err
    assert [kept.read_bytes()[:5] for kept in own_home.glob("quern-damaged-*.db")] == [b"not a"]


def test_a_data_folder_that_cannot_be_is_one_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERN_HOME", str(tmp_path / "file"))
    ran = run("list")
    assert ran.is_one_sentence_failure
    assert "QUERN_HOME" in ran.err
