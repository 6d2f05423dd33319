"""An immutable view of all settings at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar, cast

from quern.fit import Goal, Wish
from quern.gguf import SamplingDefaults
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings, SamplingParams

from . import declaration as declared
from . import load_setting as loading
from .setting import Setting, SettingValue

Value = TypeVar("Value", bound=SettingValue)


class Theme(StrEnum):
    """Whether the window is light or dark."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def _frozen() -> Mapping[str, SettingValue]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings at one moment: `chosen` holds what the person set (checked values), defaults fill the rest."""

    chosen: Mapping[str, SettingValue] = field(default_factory=_frozen)

    def __getitem__(self, setting: Setting[Value]) -> Value:
        """Return the value of a declared setting, typed."""
        return cast("Value", self.chosen.get(setting.key, setting.default))

    def get(self, key: str) -> SettingValue:
        """Return the value of `key`. Raises UnknownSetting."""
        return self.chosen.get(key, declared.setting_for(key).default)

    def is_chosen(self, key: str) -> bool:
        """Whether the person set `key`, even to its default. Raises UnknownSetting."""
        return declared.setting_for(key).key in self.chosen

    def with_choices(self, choices: Mapping[str, SettingValue]) -> "Settings":
        """Return these settings with `choices` on top. Raises UnknownSetting, BadSetting."""
        checked = {key: declared.setting_for(key).checked(value) for key, value in choices.items()}
        return Settings(MappingProxyType({**self.chosen, **checked}))

    def changed_keys(self, older: "Settings") -> frozenset[str]:
        """Return the keys whose value differs from `older`."""
        return frozenset(s.key for s in declared.SETTINGS if self.get(s.key) != older.get(s.key))

    @property
    def theme(self) -> Theme:
        """Light, dark or like the system."""
        return Theme(self[declared.THEME])

    @property
    def text_scale(self) -> float:
        """Text size as a multiple of the system's."""
        return self[declared.TEXT_SCALE]

    @property
    def offline(self) -> bool:
        """Whether nothing but loopback may be reached."""
        return self[declared.OFFLINE]

    @property
    def restore_last_chat(self) -> bool:
        """Whether the last chat is opened at start."""
        return self[declared.RESTORE_LAST_CHAT]

    @property
    def system_prompt(self) -> str:
        """The system prompt of new chats; empty is none."""
        return self[declared.SYSTEM_PROMPT]

    @property
    def load(self) -> LoadSettings:
        """How models are loaded; "automatic" becomes None. A batch holds at least one ubatch."""
        n_gpu_layers, n_ubatch_tokens = self[loading.N_GPU_LAYERS], self[loading.N_UBATCH_TOKENS]
        return LoadSettings(
            n_ctx_cells=self[loading.N_CTX_CELLS] or None,
            n_threads=self[loading.N_THREADS] or None,
            n_batch_tokens=max(LoadSettings().n_batch_tokens, n_ubatch_tokens),
            n_ubatch_tokens=n_ubatch_tokens,
            n_gpu_layers=None if n_gpu_layers < 0 else n_gpu_layers,
            flash_attention=FlashAttention(self[loading.FLASH_ATTENTION]),
            type_k=KvType(self[loading.TYPE_K]),
            type_v=KvType(self[loading.TYPE_V]),
            extra_buffers=ExtraBuffers(self[loading.EXTRA_BUFFERS]),
            mmap=self[loading.MMAP],
            mlock=self[loading.MLOCK],
            n_seq_max=self[loading.N_SEQ_MAX],
            kv_unified=self[loading.KV_UNIFIED],
            swa_full=self[loading.SWA_FULL],
            n_cpu_moe_layers=self[loading.N_CPU_MOE_LAYERS],
        )

    @property
    def load_wish(self) -> Wish | None:
        """What the best settings for a load are best for; None to load as `load` says."""
        goal = self[loading.FIT_GOAL]
        if goal == loading.AS_SET:
            return None
        return Wish(
            goal=Goal(goal),
            n_users=self[loading.N_SEQ_MAX],
            allows_quantized_kv=self[loading.ALLOW_QUANTIZED_KV],
        )

    @property
    def tries_too_large(self) -> bool:
        """Whether a model that does not fit is loaded all the same."""
        return self[loading.WHEN_TOO_LARGE] == loading.TRY

    @property
    def requires_gpu(self) -> bool:
        """Whether a model that would run on the CPU only is not loaded."""
        return self[loading.REQUIRE_GPU]

    def sampling(self, advised: SamplingDefaults | None = None) -> SamplingParams:
        """Return sampling parameters: what the person set, else what the model's makers advise, else the defaults."""
        model = advised or SamplingDefaults()
        seed = self[declared.SEED]
        return SamplingParams(
            temperature=self._chosen_or(declared.TEMPERATURE, model.temperature),
            top_k=self._chosen_or(declared.TOP_K, model.top_k),
            top_p=self._chosen_or(declared.TOP_P, model.top_p),
            min_p=self._chosen_or(declared.MIN_P, model.min_p),
            repeat_penalty=self._chosen_or(declared.REPEAT_PENALTY, model.repeat_penalty),
            repeat_last_n_tokens=self._chosen_or(declared.REPEAT_LAST_N_TOKENS, model.repeat_last_n_tokens),
            presence_penalty=self[declared.PRESENCE_PENALTY],
            frequency_penalty=self[declared.FREQUENCY_PENALTY],
            seed=None if seed < 0 else seed,
            max_tokens=self[declared.MAX_TOKENS] or None,
        )

    def _chosen_or(self, setting: Setting[Value], advised: Value | None) -> Value:
        return self[setting] if advised is None or setting.key in self.chosen else advised
