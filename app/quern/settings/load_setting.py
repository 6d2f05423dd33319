"""How models are loaded: these settings, declared."""

from quern.fit import Goal
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings

from .setting import Choice, Kind, Limits, Setting, Special

AS_SET, TRY, REFUSE = "as_set", "try", "refuse"
_LOAD = LoadSettings()
_KV_CHOICES = tuple(Choice(kv_type.value, kv_type.value) for kv_type in KvType)

FIT_GOAL = Setting(
    key="load.fit_goal",
    kind=Kind.CHOICE,
    default=AS_SET,
    title="Best settings for",
    sentence="With a goal, Quern chooses context, GPU layers and experts itself, in place of what is set below.",
    choices=(
        Choice(AS_SET, "The settings below"),
        Choice(Goal.FASTEST.value, "Fastest replies"),
        Choice(Goal.LONGEST_CONTEXT.value, "Longest context"),
        Choice(Goal.USERS.value, "Several requests at once"),
    ),
)
WHEN_TOO_LARGE = Setting(
    key="load.when_too_large",
    kind=Kind.CHOICE,
    default=REFUSE,
    title="When a model does not fit",
    sentence="Loaded anyway, it is slow or fails: what memory cannot hold is read from disk all the time.",
    choices=(Choice(REFUSE, "Do not load it"), Choice(TRY, "Load it anyway")),
)
ALLOW_QUANTIZED_KV = Setting(
    key="load.allow_quantized_kv",
    kind=Kind.TOGGLE,
    default=False,
    title="Best settings may shrink the KV cache type",
    sentence="Let Quern choose q8_0 for the KV cache where that gives a longer context; it costs a little quality.",
)
N_CTX_CELLS = Setting(
    key="load.n_ctx_cells",
    kind=Kind.WHOLE_NUMBER,
    default=0,
    title="Context",
    sentence="How many tokens a loaded model keeps in its KV cache; all requests to it share them.",
    limits=Limits(1, 16_777_216, 256),
    special=Special(0, "4,096, or less where the model or the memory has less"),
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
    special=Special(-1, "as many as fit"),
    unit="layers",
)
REQUIRE_GPU = Setting(
    key="load.require_gpu",
    kind=Kind.TOGGLE,
    default=False,
    title="Require a GPU",
    sentence="Refuse to load a model when it would run on the CPU only.",
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
MLOCK = Setting(
    key="load.mlock",
    kind=Kind.TOGGLE,
    default=_LOAD.mlock,
    title="Lock weights in memory",
    sentence="Keep the system from paging a model's weights out; it needs the right to lock that much memory.",
)
N_UBATCH_TOKENS = Setting(
    key="load.n_ubatch_tokens",
    kind=Kind.WHOLE_NUMBER,
    default=_LOAD.n_ubatch_tokens,
    title="Ubatch",
    sentence="How many tokens of a prompt are computed in one step; fewer need less memory and take longer.",
    limits=Limits(1, 2048, 64),
    unit="tokens",
)
N_SEQ_MAX = Setting(
    key="load.n_seq_max",
    kind=Kind.WHOLE_NUMBER,
    default=_LOAD.n_seq_max,
    title="Parallel requests",
    sentence="How many requests at once a loaded model can keep apart.",
    limits=Limits(1, 256),
    unit="requests",
)
KV_UNIFIED = Setting(
    key="load.kv_unified",
    kind=Kind.TOGGLE,
    default=_LOAD.kv_unified,
    title="Parallel requests share the context",
    sentence="Let each request use what the others leave; otherwise each has its own equal part of the context.",
)
SWA_FULL = Setting(
    key="load.swa_full",
    kind=Kind.TOGGLE,
    default=_LOAD.swa_full,
    title="Long cache for layers with a sliding window",
    sentence="Lets a chat go back without computing everything anew; off, such models need far less memory.",
)
N_CPU_MOE_LAYERS = Setting(
    key="load.n_cpu_moe_layers",
    kind=Kind.WHOLE_NUMBER,
    default=_LOAD.n_cpu_moe_layers,
    title="Expert layers on the CPU",
    sentence="In how many layers a mixture of experts keeps its experts in the machine's memory and not on the GPU.",
    limits=Limits(0, 10_000),
    unit="layers",
)

LOAD_SETTINGS: tuple[Setting[bool] | Setting[int] | Setting[str], ...] = (
    FIT_GOAL,
    WHEN_TOO_LARGE,
    ALLOW_QUANTIZED_KV,
    N_CTX_CELLS,
    N_SEQ_MAX,
    KV_UNIFIED,
    N_THREADS,
    N_UBATCH_TOKENS,
    N_GPU_LAYERS,
    N_CPU_MOE_LAYERS,
    REQUIRE_GPU,
    EXTRA_BUFFERS,
    FLASH_ATTENTION,
    TYPE_K,
    TYPE_V,
    SWA_FULL,
    MMAP,
    MLOCK,
)
