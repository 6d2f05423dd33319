"""Typed views of the settings at one moment."""

import pytest

from quern.fit import Goal, Wish
from quern.gguf import SamplingDefaults
from quern.settings import Settings, Theme, UnknownSetting
from quern.settings.declaration import TEXT_SCALE
from quern.spec import ExtraBuffers, FlashAttention, KvType


def test_defaults_fill_what_nobody_chose() -> None:
    settings = Settings()
    assert settings.theme is Theme.SYSTEM
    assert settings[TEXT_SCALE] == settings.text_scale == 1.0
    assert not settings.offline
    assert settings.restore_last_chat
    assert settings.system_prompt == ""


def test_automatic_numbers_become_none() -> None:
    load = Settings({"load.n_ctx_cells": 0, "load.n_threads": 0, "load.n_gpu_layers": -1}).load
    assert (load.n_ctx_cells, load.n_threads, load.n_gpu_layers) == (None, None, None)


def test_chosen_load_settings_arrive_typed() -> None:
    load = Settings(
        {
            "load.n_ctx_cells": 2048,
            "load.n_threads": 3,
            "load.n_gpu_layers": 0,
            "load.extra_buffers": "avoided",
            "load.flash_attention": "on",
            "load.type_k": "q8_0",
            "load.type_v": "q4_0",
            "load.mmap": False,
        }
    ).load
    assert (load.n_ctx_cells, load.n_threads, load.n_gpu_layers, load.mmap) == (2048, 3, 0, False)
    assert load.extra_buffers is ExtraBuffers.AVOIDED
    assert load.flash_attention is FlashAttention.ON
    assert (load.type_k, load.type_v) == (KvType.Q8_0, KvType.Q4_0)


def test_what_decides_memory_arrives_too() -> None:
    load = Settings(
        {
            "load.n_seq_max": 4,
            "load.kv_unified": False,
            "load.swa_full": False,
            "load.mlock": True,
            "load.n_cpu_moe_layers": 12,
            "load.n_ubatch_tokens": 64,
        }
    ).load
    assert (load.n_seq_max, load.kv_unified, load.swa_full, load.mlock) == (4, False, False, True)
    assert (load.n_cpu_moe_layers, load.n_ubatch_tokens, load.n_batch_tokens) == (12, 64, 512)


def test_a_batch_holds_at_least_one_ubatch() -> None:
    load = Settings({"load.n_ubatch_tokens": 2048}).load
    assert (load.n_ubatch_tokens, load.n_batch_tokens) == (2048, 2048)


def test_a_load_has_a_goal_only_where_one_was_chosen() -> None:
    assert Settings().load_wish is None
    chosen = {"load.fit_goal": "users", "load.n_seq_max": 8, "load.allow_quantized_kv": True}
    assert Settings(chosen).load_wish == Wish(goal=Goal.USERS, n_users=8, allows_quantized_kv=True)


@pytest.mark.parametrize("goal", Goal)
def test_every_goal_can_be_chosen(goal: Goal) -> None:
    wish = Settings().with_choices({"load.fit_goal": goal.value}).load_wish
    assert wish is not None
    assert wish.goal is goal


def test_what_does_not_fit_is_tried_only_where_a_person_says_so() -> None:
    assert not Settings().tries_too_large
    assert Settings({"load.when_too_large": "try"}).tries_too_large


def test_a_persons_choice_beats_the_models_advice_and_the_advice_beats_the_default() -> None:
    settings = Settings({"sampling.temperature": 0.8})
    sampling = settings.sampling(SamplingDefaults(temperature=0.2, top_k=7))
    assert sampling.temperature == 0.8
    assert sampling.top_k == 7
    assert sampling.top_p == 0.95


def test_seed_and_length_minus_one_and_zero_mean_none() -> None:
    assert Settings().sampling().seed is None
    assert Settings().sampling().max_tokens is None
    chosen = Settings({"sampling.seed": 0, "sampling.max_tokens": 12}).sampling()
    assert (chosen.seed, chosen.max_tokens) == (0, 12)


def test_choosing_the_default_is_still_a_choice() -> None:
    settings = Settings({"appearance.theme": "system"})
    assert settings.is_chosen("appearance.theme")
    assert not Settings().is_chosen("appearance.theme")


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(UnknownSetting):
        Settings().get("appearance.colour")
    with pytest.raises(UnknownSetting):
        Settings().is_chosen("appearance.colour")


def test_changed_keys_are_those_whose_value_differs() -> None:
    older = Settings({"appearance.theme": "system"})
    newer = Settings({"appearance.theme": "dark", "network.offline": True})
    assert newer.changed_keys(older) == {"appearance.theme", "network.offline"}
    assert Settings().changed_keys(older) == frozenset()
