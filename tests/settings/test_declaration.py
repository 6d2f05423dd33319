"""The table of settings: complete, consistent, checkable."""

from itertools import pairwise

import pytest

from quern.settings import SETTINGS, BadSetting, Kind, Settings, UnknownSetting, setting_for
from quern.spec import LoadSettings, SamplingParams


def test_keys_are_unique_and_have_a_section_and_a_name() -> None:
    keys = [setting.key for setting in SETTINGS]
    assert len(set(keys)) == len(keys)
    assert all(setting.key == f"{setting.section}.{setting.name}" and setting.name for setting in SETTINGS)


def test_settings_of_one_section_stand_together() -> None:
    sections = [setting.section for setting in SETTINGS]
    starts = [new for old, new in pairwise(["", *sections]) if old != new]
    assert len(starts) == len(set(sections))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_each_setting_explains_itself_and_accepts_its_own_default(setting: object) -> None:
    declared = setting_for(str(getattr(setting, "key", "")))
    assert declared.title
    assert declared.sentence.endswith(".")
    assert declared.checked(declared.default) == declared.default
    assert (declared.kind is Kind.CHOICE) == bool(declared.choices)


def test_defaults_are_the_defaults_of_the_values_they_fill() -> None:
    assert Settings().load == LoadSettings()
    assert Settings().sampling() == SamplingParams()


def test_an_unknown_key_names_the_nearest_one() -> None:
    with pytest.raises(UnknownSetting) as caught:
        setting_for("apearance.theme")
    assert caught.value.suggestion == "appearance.theme"
    assert 'no setting named "apearance.theme"' in caught.value.what


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("appearance.theme", "pink", "one of system, light, dark"),
        ("appearance.theme", 1, "one of system, light, dark"),
        ("appearance.text_scale", 9, "a number from 0.75 to 2"),
        ("appearance.text_scale", "big", "a number from 0.75 to 2"),
        ("network.offline", 1, "true or false"),
        ("chat.system_prompt", False, "text"),
        ("load.n_ctx_cells", -10, "a whole number from 1 to 16777216, or 0 for"),
        ("load.n_ctx_cells", 4096.0, "a whole number"),
        ("load.n_threads", True, "a whole number"),
        ("sampling.temperature", float("nan"), "a number from 0 to 5"),
        ("sampling.temperature", True, "a number from 0 to 5"),
    ],
)
def test_a_value_of_the_wrong_kind_or_size_is_refused_with_what_it_must_be(key: str, value: object, words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        setting_for(key).checked(value)
    assert words in caught.value.what
    assert key in caught.value.what


def test_a_special_number_is_allowed_outside_the_limits() -> None:
    assert setting_for("load.n_ctx_cells").checked(0) == 0
    assert setting_for("sampling.seed").checked(-1) == -1


def test_a_whole_number_is_a_number() -> None:
    value = setting_for("sampling.temperature").checked(1)
    assert isinstance(value, float)
    assert value == 1.0


def test_a_long_bad_value_is_shortened_in_the_sentence() -> None:
    with pytest.raises(BadSetting) as caught:
        setting_for("appearance.theme").checked("x" * 10_000)
    assert len(caught.value.what) < 200
