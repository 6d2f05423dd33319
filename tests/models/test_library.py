"""The library finds every model, survives every file, and opens nothing twice."""

import os
from pathlib import Path

import pytest
from tests.gguf.forge import Tensor, TinyModel, forge, forge_llama_model

from quern.base import Database, DatabaseReadOnly, Home
from quern.gguf import FileKind, FileUnreadable, GgufTruncated, NotAModel, NotFirstShard, NotGguf
from quern.models import TABLES, Library, ModelAmbiguous, ModelEntry, ModelNotFound, Origin
from quern.models import library as library_module


def names(library: Library) -> list[str]:
    return [entry.name for entry in library.scan()]


def test_the_starter_model_is_first_and_usable(
    home: Home, library: Library, starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge_llama_model(home.models / "another.gguf")
    monkeypatch.setattr(library_module, "starter_path", lambda: starter_model)
    starter, _ = library.scan()
    assert starter.name == "SmolLM2-135M-Instruct Q4_1"
    assert starter.origin is Origin.STARTER
    assert starter.path == starter_model
    assert starter.size_bytes == 98_362_432
    assert starter.is_usable
    assert starter.require_facts().architecture == "llama"


def test_an_empty_library_is_empty(library: Library) -> None:
    assert library.scan() == ()


def test_a_missing_models_folder_is_an_empty_library(tmp_path: Path, database: Database) -> None:
    assert Library(Home(tmp_path / "nowhere"), database).scan() == ()


def test_models_are_found_at_any_depth_in_order_of_path(home: Home, library: Library) -> None:
    for name in ("b.gguf", "a.GGUF", "deep/er/c.gguf"):
        forge_llama_model(home.models / name)
    (home.models / "readme.txt").write_text("no model")
    (home.models / "half.gguf.abc.part").write_bytes(b"GGUF")
    entries = library.scan()
    assert [entry.name for entry in entries] == ["a F32", "b F32", "c F32"]
    assert {entry.origin for entry in entries} == {Origin.OWN_FOLDER}


def test_a_bad_file_is_an_entry_with_its_problem(home: Home, library: Library) -> None:
    (home.models / "page.gguf").write_bytes(b"<!DOCTYPE html>" + b" " * 5000)
    forge_llama_model(home.models / "fine.gguf")
    fine, page = library.scan()
    assert fine.is_usable
    assert not page.is_usable
    assert isinstance(page.problem, NotGguf)
    assert (page.name, page.size_bytes, page.facts) == ("page", 5015, None)
    with pytest.raises(NotGguf):
        page.require_facts()


def test_an_unchanged_file_is_not_opened_again(home: Home, library: Library, opened: list[Path]) -> None:
    path = forge_llama_model(home.models / "m.gguf", TinyModel(chat_template="{{ messages }}"))
    first = library.scan()
    assert opened == [path]
    assert library.scan() == first
    assert Library(home, Database.open_read_only(home.database, (TABLES,))).scan() == first
    assert opened == [path]


def test_an_unchanged_companion_is_told_apart_without_being_opened_again(
    home: Home, library: Library, opened: list[Path]
) -> None:
    projector = forge_llama_model(home.models / "mmproj.gguf")
    projector.write_bytes(forge({"general.architecture": "clip"}, [Tensor("v.weight", (32,))]))
    adapter = home.models / "lora.gguf"
    adapter.write_bytes(forge({"general.type": "adapter", "adapter.type": "lora"}, [Tensor("a.lora_a", (32, 4))]))
    kinds = [FileKind.ADAPTER, FileKind.PROJECTOR]
    for _ in range(2):
        problems = [entry.problem for entry in library.scan()]
        assert [problem.kind for problem in problems if isinstance(problem, NotAModel)] == kinds
    assert opened == [adapter, projector]


def test_a_changed_file_is_opened_again(home: Home, library: Library, opened: list[Path]) -> None:
    path = forge_llama_model(home.models / "m.gguf")
    library.scan()
    forge_llama_model(path, TinyModel(chat_template="{{ messages }}"))
    os.utime(path, ns=(1, 1))
    (entry,) = library.scan()
    assert entry.require_facts().chat_templates == {"default": "{{ messages }}"}
    assert opened == [path, path]


def test_facts_of_an_unknown_format_are_read_anew(
    home: Home, library: Library, database: Database, opened: list[Path]
) -> None:
    forge_llama_model(home.models / "m.gguf")
    first = library.scan()
    with database.transaction() as connection:
        connection.execute("UPDATE model_facts SET facts = replace(facts, '\"format\": 2', '\"format\": 0')")
    assert library.scan() == first
    assert len(opened) == 2


def test_a_split_model_is_one_row(home: Home, library: Library) -> None:
    for number in range(3):
        metadata: dict[str, object] = {"general.architecture": "llama", "split.no": number, "split.count": 3}
        data = forge(metadata, [Tensor(f"blk.{number}.weight", (32,))])
        (home.models / f"big-Q4_K_M-{number + 1:05d}-of-00003.gguf").write_bytes(data)
    (entry,) = library.scan()
    assert entry.name == "big Q4_K_M"
    assert len(entry.shards) == 3
    assert entry.path == entry.shards[0]
    assert entry.size_bytes == sum(path.stat().st_size for path in entry.shards)
    entry.shards[1].unlink()
    (entry,) = library.scan()
    assert '"big-Q4_K_M-00002-of-00003.gguf" is missing' in str(entry.problem)
    entry.path.unlink()
    (entry,) = library.scan()
    assert '"big-Q4_K_M-00001-of-00003.gguf" and 1 more are missing' in str(entry.problem)


def test_an_added_model_stays_until_it_is_removed(
    home: Home, library: Library, database: Database, tmp_path: Path
) -> None:
    path = forge_llama_model(tmp_path / "elsewhere" / "mine.gguf")
    entry = library.add(path)
    assert (entry.name, entry.origin) == ("mine F32", Origin.ADDED)
    assert library.add(path) == entry
    assert Library(home, database).scan() == (entry,)
    library.remove(entry)
    assert library.scan() == ()
    assert path.exists()


def test_a_model_that_is_already_known_is_not_added_twice(home: Home, library: Library) -> None:
    path = forge_llama_model(home.models / "m.gguf")
    assert library.add(path).origin is Origin.OWN_FOLDER
    assert len(library.scan()) == 1


def test_removing_an_own_model_leaves_it(home: Home, library: Library) -> None:
    forge_llama_model(home.models / "m.gguf")
    (entry,) = library.scan()
    library.remove(entry)
    assert library.scan() == (entry,)


def test_a_bad_file_is_refused_and_not_remembered(library: Library, tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "cut.gguf")
    os.truncate(path, 1000)
    with pytest.raises(GgufTruncated):
        library.add(path)
    with pytest.raises(FileUnreadable):
        library.add(tmp_path / "gone.gguf")
    assert library.scan() == ()


def test_an_added_file_that_is_gone_stays_as_a_problem(library: Library, tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "mine.gguf")
    library.add(path)
    path.unlink()
    (entry,) = library.scan()
    assert "there is no such file" in str(entry.problem)
    assert entry.size_bytes == 0


def test_a_file_name_that_is_no_text_is_remembered(library: Library, tmp_path: Path) -> None:
    path = forge_llama_model(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.gguf")))
    entry = library.add(path)
    assert library.scan() == (entry,)
    assert entry.is_usable


def test_equal_names_are_told_apart(home: Home, library: Library) -> None:
    for folder in ("", "one", "two", "two/one"):
        forge_llama_model(home.models / folder / "m.gguf")
    assert names(library) == ["m F32", "m F32 (one)", "m F32 (two)", "m F32 (2)"]


def test_links_do_not_double_a_model_or_run_in_circles(home: Home, library: Library) -> None:
    folder = home.models / "real"
    forge_llama_model(folder / "m.gguf")
    (home.models / "z-link").symlink_to(folder, target_is_directory=True)
    (folder / "loop").symlink_to(home.models, target_is_directory=True)
    (home.models / "z.gguf").symlink_to(folder / "m.gguf")
    (home.models / "broken.gguf").symlink_to(home.models / "nothing.gguf")
    by_name = {entry.name: entry for entry in library.scan()}
    assert len(by_name) == 2
    assert "there is no such file" in str(by_name["broken"].problem)


def test_a_model_in_a_linked_folder_is_found(home: Home, library: Library, tmp_path: Path) -> None:
    forge_llama_model(tmp_path / "big disk" / "m.gguf")
    (home.models / "disk").symlink_to(tmp_path / "big disk", target_is_directory=True)
    assert names(library) == ["m F32"]


@pytest.mark.parametrize("text", ["Tiny-Chat F32", "tiny-chat f32", " TINY-CHAT F32 ", "tiny-c", "Tiny-Chat"])
def test_a_model_is_found_by_name_case_or_beginning(home: Home, library: Library, text: str) -> None:
    forge_llama_model(home.models / "Tiny-Chat.gguf")
    forge_llama_model(home.models / "tiny-base.gguf")
    assert library.find(text).name == "Tiny-Chat F32"


def test_a_full_name_wins_over_a_longer_one(home: Home, library: Library) -> None:
    forge_llama_model(home.models / "m-f32.gguf")
    forge_llama_model(home.models / "sub" / "m-f32.gguf")
    assert library.find("m f32").path == home.models / "m-f32.gguf"


def test_an_unclear_beginning_names_the_choices(home: Home, library: Library) -> None:
    for name in ("tiny-a", "tiny-b"):
        forge_llama_model(home.models / f"{name}.gguf")
    with pytest.raises(ModelAmbiguous) as caught:
        library.find("tiny")
    assert caught.value.names == ("tiny-a F32", "tiny-b F32")
    assert '"tiny-a F32", "tiny-b F32"' in caught.value.what


@pytest.mark.parametrize(
    ("text", "suggestions"),
    [("tini-chat", ("Tiny-Chat F32",)), ("chat", ("Tiny-Chat F32",)), ("qwen", ()), ("", ()), ("  ", ())],
)
def test_an_unknown_name_gets_suggestions(
    home: Home, library: Library, text: str, suggestions: tuple[str, ...]
) -> None:
    forge_llama_model(home.models / "Tiny-Chat.gguf")
    with pytest.raises(ModelNotFound) as caught:
        library.find(text)
    assert caught.value.suggestions == suggestions
    assert ("Did you mean" in caught.value.next_step) == bool(suggestions)


def test_a_path_in_the_library_is_its_entry(home: Home, library: Library) -> None:
    path = forge_llama_model(home.models / "m.gguf")
    assert library.find(str(path)).name == "m F32"


def test_any_other_path_is_opened_without_being_kept(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge_llama_model(tmp_path / "other.gguf")
    monkeypatch.chdir(tmp_path)
    for text in ("other.gguf", "./other.gguf", str(tmp_path / "other.gguf")):
        entry: ModelEntry = library.find(text)
        assert (entry.name, entry.origin, entry.path) == ("other F32", Origin.OPENED, tmp_path / "other.gguf")
    assert library.scan() == ()


def test_a_bad_path_is_refused_with_its_own_reason(library: Library, tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="there is no such file"):
        library.find(str(tmp_path / "gone.gguf"))
    with pytest.raises(NotGguf, match="a folder"):
        library.find(str(tmp_path))
    for number in (1, 2):
        (tmp_path / f"m-{number:05d}-of-00002.gguf").write_bytes(b"GGUF")
    with pytest.raises(NotFirstShard):
        library.find(str(tmp_path / "m-00002-of-00002.gguf"))
    with pytest.raises(FileUnreadable, match="there is no such file"):
        library.find("~nobody-of-this-name/m.gguf")
    with pytest.raises(ModelNotFound):
        library.find("nul\0.gguf")


def test_a_read_only_database_is_read(home: Home, library: Library, tmp_path: Path) -> None:
    entry = library.add(forge_llama_model(tmp_path / "mine.gguf"))
    forge_llama_model(home.models / "new.gguf")
    read_only = Library(home, Database.open_read_only(home.database, (TABLES,)))
    assert [found.name for found in read_only.scan()] == ["new F32", "mine F32"]
    assert read_only.find("new").is_usable
    with pytest.raises(DatabaseReadOnly):
        read_only.remove(entry)


def test_without_a_database_added_models_last_as_long_as_the_program(home: Home, tmp_path: Path) -> None:
    library = Library(home, None)
    entry = library.add(forge_llama_model(tmp_path / "mine.gguf"))
    assert library.scan() == (entry,)
    library.remove(entry)
    assert library.scan() == ()


def test_a_scan_survives_a_database_that_cannot_keep_facts(
    home: Home, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Database) -> None:
        raise DatabaseReadOnly(self.path)

    forge_llama_model(home.models / "m.gguf")
    monkeypatch.setattr(Database, "transaction", refuse)
    assert len(library.scan()) == 1
