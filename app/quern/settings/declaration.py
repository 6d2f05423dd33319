"""The table of all settings."""

from difflib import get_close_matches

from quern.spec import ExtraBuffers, FlashAttention, KvType, SamplingParams

from .problem import UnknownSetting
from .setting import Choice, Kind, Limits, Setting, Special

_SAMPLING = SamplingParams()
_KV_CHOICES = tuple(Choice(kv_type.value, kv_type.value) for kv_type in KvType)

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
N_CTX_CELLS = Setting(
    key="load.n_ctx_cells",
    kind=Kind.WHOLE_NUMBER,
    default=0,
    title="Context",
    sentence="How many tokens a loaded model keeps in its KV cache; all requests to it share them.",
    limits=Limits(1, 16_777_216, 256),
    special=Special(0, "the smaller of the trained context and 4,096"),
    unit="tokens",
)
N_THREADS = Setting(
    key="load.n_threads",
    kind=Kind.WHOLE_NUMBER,
    default=0,
    title="Threads",
    sentence="How many CPU threads compute.",
    limits=Limits(1, 512),
    special=Special(0, "one per fast core"),
    unit="threads",
)
N_GPU_LAYERS = Setting(
    key="load.n_gpu_layers",
    kind=Kind.WHOLE_NUMBER,
    default=-1,
    title="Layers on the GPU",
    sentence="How many layers of a model are put on a GPU where there is one; 0 keeps all of it on the CPU.",
    limits=Limits(0, 10_000),
    special=Special(-1, "all of them"),
    unit="layers",
)
EXTRA_BUFFERS = Setting(
    key="load.extra_buffers",
    kind=Kind.CHOICE,
    default=ExtraBuffers.ALLOWED.value,
    title="Special CPU kernels",
    sentence="Whether weights may be repacked for faster CPU kernels (AMX, KleidiAI); Quern tries them out first.",
    choices=(
        Choice(ExtraBuffers.ALLOWED.value, "Where they prove to work"),
        Choice(ExtraBuffers.AVOIDED.value, "Never"),
    ),
)
FLASH_ATTENTION = Setting(
    key="load.flash_attention",
    kind=Kind.CHOICE,
    default=FlashAttention.AUTO.value,
    title="Flash attention",
    sentence="Whether the memory-saving attention kernels are used; a quantized V cache needs them.",
    choices=(
        Choice(FlashAttention.AUTO.value, "Where the device can"),
        Choice(FlashAttention.ON.value, "Always"),
        Choice(FlashAttention.OFF.value, "Never"),
    ),
)
TYPE_K = Setting(
    key="load.type_k",
    kind=Kind.CHOICE,
    default=KvType.F16.value,
    title="K cache type",
    sentence="How keys are stored in the KV cache: smaller types save memory and cost some quality.",
    choices=_KV_CHOICES,
)
TYPE_V = Setting(
    key="load.type_v",
    kind=Kind.CHOICE,
    default=KvType.F16.value,
    title="V cache type",
    sentence="How values are stored in the KV cache: smaller types save memory and cost some quality.",
    choices=_KV_CHOICES,
)
MMAP = Setting(
    key="load.mmap",
    kind=Kind.TOGGLE,
    default=True,
    title="Map model files into memory",
    sentence="Read weights from the file as they are needed, so that a model loads at once and can be shared.",
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
    N_CTX_CELLS,
    N_THREADS,
    N_GPU_LAYERS,
    EXTRA_BUFFERS,
    FLASH_ATTENTION,
    TYPE_K,
    TYPE_V,
    MMAP,
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


def setting_for(key: str) -> Setting[bool] | Setting[int] | Setting[float] | Setting[str]:
    """Return the declaration of `key`. Raises UnknownSetting with the nearest key."""
    found = _BY_KEY.get(key)
    if found is None:
        raise UnknownSetting(key, get_close_matches(key, _BY_KEY, n=1, cutoff=0.0)[0])
    return found
