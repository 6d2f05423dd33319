"""The settings file is read with every problem told, and written so that nothing is lost."""

import os
import stat
from pathlib import Path

import pytest

from quern.settings import (
    BadSetting,
    Settings,
    SettingsNewer,
    SettingsNotSaved,
    SettingsStore,
    SettingsUnreadable,
    Theme,
    UnknownSetting,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dätá folder" / "settings.toml"


def written(path: Path, text: str) -> SettingsStore:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    store = SettingsStore(path)
    store.load()
    return store


def test_no_file_is_all_defaults_without_a_problem_and_without_writing(path: Path) -> None:
    store = SettingsStore(path)
    assert store.load() == Settings()
    assert store.problems == ()
    assert not path.exists()


def test_what_is_saved_is_there_for_the_next_start(path: Path) -> None:
    SettingsStore(path).save({"appearance.theme": "dark", "sampling.temperature": 0, "network.offline": True})
    store = SettingsStore(path)
    settings = store.load()
    assert settings.theme is Theme.DARK
    assert settings.sampling().temperature == 0.0
    assert settings.offline
    assert store.problems == ()


def test_an_unknown_key_is_told_and_quern_starts_with_the_rest(path: Path) -> None:
    store = written(path, '[appearance]\nthem = "dark"\ntext_scale = 1.5\n')
    assert store.current.text_scale == 1.5
    (problem,) = store.problems
    assert isinstance(problem, UnknownSetting)
    assert (problem.key, problem.suggestion) == ("appearance.them", "appearance.theme")


def test_every_bad_value_is_told_and_its_default_used(path: Path) -> None:
    store = written(path, '[appearance]\ntheme = "pink"\ntext_scale = "big"\n[load]\nmmap = false\n')
    assert store.current.theme is Theme.SYSTEM
    assert store.current.text_scale == 1.0
    assert not store.current.load.mmap
    assert all(isinstance(problem, BadSetting) for problem in store.problems)
    assert [problem.values()["key"] for problem in store.problems] == ["appearance.theme", "appearance.text_scale"]


def test_saving_keeps_comments_unknown_lines_and_bad_values(path: Path) -> None:
    text = '# mine\nversion = 1\n\n[appearance]\ntheme = "light"  # by day\nglow = 3\n\n[future]\nthing = [1, 2]\n'
    written(path, text).save({"appearance.theme": "dark"})
    assert path.read_text(encoding="utf-8") == text.replace('"light"', '"dark"')


def test_an_edit_by_hand_while_quern_runs_is_kept_by_the_next_save(path: Path) -> None:
    store = written(path, "[load]\nn_threads = 2\n")
    path.write_text("[load]\nn_threads = 5\n", encoding="utf-8")
    settings = store.save({"appearance.theme": "dark"})
    assert settings.load.n_threads == 5
    assert settings.theme is Theme.DARK


def test_reset_gives_a_setting_back_to_its_default(path: Path) -> None:
    store = written(path, '[appearance]\ntheme = "dark"\ntext_scale = 1.5\n')
    settings = store.reset(["appearance.theme", "network.offline"])
    assert not settings.is_chosen("appearance.theme")
    assert settings.text_scale == 1.5
    assert "theme" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        b"this is not toml",
        b'[appearance]\ntheme = "dark',
        b"\xff\xfe\x00\x01",
        b"a = " + b"[" * 5000,
        b"a = " + b"9" * 5000,
        b"x = 1\n" * 200_000,
        b"\x00" * 100,
    ],
    ids=["prose", "cut", "not utf-8", "deep", "huge number", "huge file", "zeros"],
)
def test_a_file_that_is_not_toml_starts_with_defaults_and_is_kept_beside_the_new_one(
    path: Path, content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    store = SettingsStore(path)
    assert store.load() == Settings()
    (problem,) = store.problems
    assert isinstance(problem, SettingsUnreadable)
    assert path.read_bytes() == content
    assert store.save({"appearance.theme": "dark"}).theme is Theme.DARK
    assert store.problems == ()
    assert (path.parent / "settings.kept-1.toml").read_bytes() == content


def test_kept_files_are_numbered_and_never_overwrite_each_other(path: Path) -> None:
    store = written(path, "first [")
    store.save({"appearance.theme": "dark"})
    path.write_text("second [", encoding="utf-8")
    store.load()
    store.save({"appearance.theme": "light"})
    assert (path.parent / "settings.kept-1.toml").read_text(encoding="utf-8") == "first ["
    assert (path.parent / "settings.kept-2.toml").read_text(encoding="utf-8") == "second ["


def test_a_file_that_an_edit_would_damage_is_kept_and_its_values_carried_over(path: Path) -> None:
    store = written(path, "appearance = 3\n[load]\nn_threads = 4\n")
    settings = store.save({"appearance.theme": "dark"})
    assert settings.load.n_threads == 4
    assert settings.theme is Theme.DARK
    assert (path.parent / "settings.kept-1.toml").read_text(encoding="utf-8").startswith("appearance = 3")


def test_a_folder_in_place_of_the_file_is_told_and_moved_aside(path: Path) -> None:
    path.mkdir(parents=True)
    store = SettingsStore(path)
    store.load()
    assert isinstance(store.problems[0], SettingsUnreadable)
    store.save({"appearance.theme": "dark"})
    assert path.is_file()
    assert (path.parent / "settings.kept-1.toml").is_dir()


def test_a_newer_format_is_told_and_its_known_part_used(path: Path) -> None:
    store = written(path, 'version = 99\n[appearance]\ntheme = "dark"\n')
    assert isinstance(store.problems[0], SettingsNewer)
    assert store.current.theme is Theme.DARK


def test_a_byte_order_mark_is_no_problem(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'\xef\xbb\xbf[appearance]\r\ntheme = "dark"\r\n')
    store = SettingsStore(path)
    assert store.load().theme is Theme.DARK
    store.save({"appearance.theme": "light"})
    assert b'theme = "light"\r\n' in path.read_bytes()


def test_a_bad_change_is_refused_whole(path: Path) -> None:
    store = SettingsStore(path)
    with pytest.raises(BadSetting):
        store.save({"appearance.theme": "dark", "load.n_threads": -5})
    with pytest.raises(UnknownSetting):
        store.save({"appearance.colour": "red"})
    assert store.current == Settings()
    assert not path.exists()


def test_saving_publishes_the_new_settings_once(path: Path) -> None:
    store = SettingsStore(path)
    seen: list[Settings] = []
    store.changed.subscribe(seen.append)
    store.save({"appearance.theme": "dark"})
    assert [settings.theme for settings in seen] == [Theme.DARK]


def test_a_save_that_fails_is_told_and_the_change_holds_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(path, '[appearance]\ntheme = "light"\n')
    seen: list[Settings] = []
    store.changed.subscribe(seen.append)

    def full_disk(_descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(SettingsNotSaved) as caught:
        store.save({"appearance.theme": "dark"})
    assert "No space left on device" in caught.value.what
    assert store.current.theme is Theme.DARK
    assert [settings.theme for settings in seen] == [Theme.DARK]
    assert path.read_text(encoding="utf-8") == '[appearance]\ntheme = "light"\n'
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.toml"]


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_the_file_is_readable_by_its_owner_only_and_a_link_to_it_stays_a_link(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    real = tmp_path / "dotfiles.toml"
    real.write_text("", encoding="utf-8")
    path.symlink_to(real)
    SettingsStore(path).save({"appearance.theme": "dark"})
    assert path.is_symlink()
    assert "dark" in real.read_text(encoding="utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
