"""The table of all settings."""

from difflib import get_close_matches

from quern.spec import SamplingParams

from .load_setting import LOAD_SETTINGS
from .problem import UnknownSetting
from .setting import Choice, Kind, Limits, Setting, Special

_SAMPLING = SamplingParams()

THEME = Setting(
    key="appearance.theme",
    kind=Kind.CHOICE,
    default="system",
    title="Theme",
    sentence='Whether Quern is light or dark; "system" follows the desktop.',
    choices=(Choice("system", "Like the system"), Choice("light", "Light"), Choice("dark", "Dark")),
)
TEXT_SCALE = Setting(
    key="appearance.text_scale",
    kind=Kind.NUMBER,
    default=1.0,
    title="Text size",
    sentence="How large text is, as a multiple of the system's size.",
    limits=Limits(0.75, 2.0, 0.05),
    unit="times",
)
RESTORE_LAST_CHAT = Setting(
    key="general.restore_last_chat",
    kind=Kind.TOGGLE,
    default=True,
    title="Open the last chat at start",
    sentence="Start where you left off; otherwise Quern starts with a new chat.",
)
OFFLINE = Setting(
    key="network.offline",
    kind=Kind.TOGGLE,
    default=False,
    title="Offline",
    sentence="Refuse every connection except to this computer itself.",
)
SYSTEM_PROMPT = Setting(
    key="chat.system_prompt",
    kind=Kind.TEXT,
    default="",
    title="System prompt",
    sentence="What every new chat tells the model before your first message.",
)
TEMPERATURE = Setting(
    key="sampling.temperature",
    kind=Kind.NUMBER,
    default=_SAMPLING.temperature,
    title="Temperature",
    sentence="How freely the model chooses words: 0 always takes the likeliest.",
    limits=Limits(0, 5, 0.05),
)
TOP_K = Setting(
    key="sampling.top_k",
    kind=Kind.WHOLE_NUMBER,
    default=_SAMPLING.top_k,
    title="Top-k",
    sentence="Choose among this many likeliest tokens; 0 is no limit.",
    limits=Limits(0, 1_000_000),
    unit="tokens",
)
TOP_P = Setting(
    key="sampling.top_p",
    kind=Kind.NUMBER,
    default=_SAMPLING.top_p,
    title="Top-p",
    sentence="Choose among the likeliest tokens that together have this probability; 1 is no limit.",
    limits=Limits(0, 1, 0.01),
)
MIN_P = Setting(
    key="sampling.min_p",
    kind=Kind.NUMBER,
    default=_SAMPLING.min_p,
    title="Min-p",
    sentence="Drop tokens less probable than this share of the likeliest one; 0 drops none.",
    limits=Limits(0, 1, 0.01),
)
REPEAT_PENALTY = Setting(
    key="sampling.repeat_penalty",
    kind=Kind.NUMBER,
    default=_SAMPLING.repeat_penalty,
    title="Repeat penalty",
    sentence="Make recent tokens less likely by this factor; 1 is no penalty.",
    limits=Limits(0.1, 10, 0.05),
)
REPEAT_LAST_N_TOKENS = Setting(
    key="sampling.repeat_last_n_tokens",
    kind=Kind.WHOLE_NUMBER,
    default=_SAMPLING.repeat_last_n_tokens,
    title="Penalty range",
    sentence="How far the penalties look back; 0 switches them off.",
    limits=Limits(0, 1_000_000),
    unit="tokens",
)
PRESENCE_PENALTY = Setting(
    key="sampling.presence_penalty",
    kind=Kind.NUMBER,
    default=_SAMPLING.presence_penalty,
    title="Presence penalty",
    sentence="Take this from the score of every token that was already used; 0 is off.",
    limits=Limits(-2, 2, 0.1),
)
FREQUENCY_PENALTY = Setting(
    key="sampling.frequency_penalty",
    kind=Kind.NUMBER,
    default=_SAMPLING.frequency_penalty,
    title="Frequency penalty",
    sentence="Take this from a token's score for every time it was used; 0 is off.",
    limits=Limits(-2, 2, 0.1),
)
SEED = Setting(
    key="sampling.seed",
    kind=Kind.WHOLE_NUMBER,
    default=-1,
    title="Seed",
    sentence="The same seed and the same prompt give the same reply.",
    limits=Limits(0, 4_294_967_294),
    special=Special(-1, "a new one each time"),
)
MAX_TOKENS = Setting(
    key="sampling.max_tokens",
    kind=Kind.WHOLE_NUMBER,
    default=0,
    title="Longest reply",
    sentence="Where a reply is cut off.",
    limits=Limits(1, 16_777_216, 64),
    special=Special(0, "as many as the context holds"),
    unit="tokens",
)

SETTINGS: tuple[Setting[bool] | Setting[int] | Setting[float] | Setting[str], ...] = (
    RESTORE_LAST_CHAT,
    THEME,
    TEXT_SCALE,
    OFFLINE,
    SYSTEM_PROMPT,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    MIN_P,
    REPEAT_PENALTY,
    REPEAT_LAST_N_TOKENS,
    PRESENCE_PENALTY,
    FREQUENCY_PENALTY,
    SEED,
    MAX_TOKENS,
    *LOAD_SETTINGS,
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


def setting_for(key: str) -> Setting[bool] | Setting[int] | Setting[float] | Setting[str]:
    """Return the declaration of `key`. Raises UnknownSetting with the nearest key."""
    found = _BY_KEY.get(key)
    if found is None:
        raise UnknownSetting(key, get_close_matches(key, _BY_KEY, n=1, cutoff=0.0)[0])
    return found
