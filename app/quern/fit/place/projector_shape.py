"""What a projector (mmproj) takes, by its header: its weights, and scratch space for one large picture or some sound.

llama.cpp: tools/mtmd/clip.cpp. Weights and scratch are on one device. The scratch space is an estimate: the encoder's
widest layer over the patches of the largest picture that it takes in at once, or over half a minute of sound.
"""

from dataclasses import dataclass
from math import ceil

from quern.gguf import Header, ModelHeader
from quern.spec import FlashAttention, LoadSettings

from .buffer_type import aligned

_F32_BYTES = 4
# Projectors for pictures of any size reserve for so many tokens at first (clip.cpp, set_warmup_n_tokens), each of
# which is made of a square of patches.
_ANY_SIZE = frozenset(
    {"qwen2vl_merger", "qwen2.5vl_merger", "qwen3vl_merger", "pixtral", "kimivl", "lightonocr", "glm4v", "paddleocr"}
)
_ANY_SIZE_TOKENS = 46 * 46
_MERGED = 2
_SOUND_FRAMES = 1500  # 30 s of Whisper's encoder
_MOST_PATCHES = 1 << 20
_MOST = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """One encoder: `n_patches` at once, `n_embd` wide, `n_ff` in the feed-forward part, `n_head` heads of attention."""

    n_patches: int
    n_embd: int
    n_ff: int
    n_head: int

    def scratch_bytes(self, settings: LoadSettings) -> int:
        """Return the bytes of its widest layer."""
        scores = self.n_head * self.n_patches if settings.flash_attention is FlashAttention.OFF else 0
        return _F32_BYTES * self.n_patches * (3 * self.n_ff + 4 * self.n_embd + scores)


@dataclass(frozen=True, slots=True)
class ProjectorShape:
    """The bytes of a projector's weights, and its encoders, of which one computes at a time."""

    weights: int
    encoders: tuple[Encoder, ...]

    def nbytes(self, settings: LoadSettings) -> int:
        """Return the bytes that it takes in all."""
        return self.weights + max((encoder.scratch_bytes(settings) for encoder in self.encoders), default=0)


def projector_shape_of(model: ModelHeader) -> ProjectorShape:
    """Return what the header says of a projector; numbers that it lacks count as 0."""
    header = model.first
    encoders: list[Encoder] = []
    if _number(header, "vision", "embedding_length"):
        encoders.append(_encoder(header, "vision", _n_patches(header)))
    if _number(header, "audio", "embedding_length"):
        encoders.append(_encoder(header, "audio", _SOUND_FRAMES))
    return ProjectorShape(sum(aligned(tensor.nbytes) for tensor in model.tensors), tuple(encoders))


def _encoder(header: Header, kind: str, n_patches: int) -> Encoder:
    return Encoder(
        n_patches=min(n_patches, _MOST_PATCHES),
        n_embd=_number(header, kind, "embedding_length"),
        n_ff=_number(header, kind, "feed_forward_length"),
        n_head=_number(header, kind, "attention.head_count"),
    )


def _n_patches(header: Header) -> int:
    patch = max(1, _number(header, "vision", "patch_size"))
    pixels = max(_number(header, "vision", "image_size") ** 2, _number(header, "vision", "image_max_pixels"))
    n_patches = ceil(pixels / patch**2)
    kind = header.string("clip.vision.projector_type") or header.string("clip.projector_type") or ""
    if kind in _ANY_SIZE:
        merged = _number(header, "vision", "spatial_merge_size") or _MERGED
        n_patches = max(n_patches, _ANY_SIZE_TOKENS * merged**2)
    return n_patches


def _number(header: Header, kind: str, name: str) -> int:
    return min(max(0, header.integer(f"clip.{kind}.{name}") or 0), _MOST)
