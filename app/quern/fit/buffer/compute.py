"""Bytes of llama.cpp's compute buffer, instantly: its graph allocator is played over the model's own graph."""

from quern.fit.graph.batch import reserved_batch
from quern.fit.graph.build import build
from quern.fit.graph.forward import Handed, LayerSpan
from quern.fit.graph.replay import peak_bytes
from quern.fit.graph.rough import untold_bytes
from quern.fit.shape.model_shape import ModelShape
from quern.spec import LoadSettings

__all__ = ["Handed", "LayerSpan", "compute_bytes"]

_HOST_ALIGNMENT = 32  # ggml-backend.cpp, ggml_backend_cpu_buffer_type_get_alignment
_GPU_ALIGNMENT = 128  # ggml-cuda.cu, ggml_backend_cuda_buffer_type_get_alignment


def compute_bytes(shape: ModelShape, settings: LoadSettings, span: LayerSpan | None = None) -> int:
    """Return the peak of the compute buffer of a device that computes `span`, of all where None.

    That is what llama.cpp reserves for its largest batch (llama-context.cpp, sched_reserve; one output a sequence).
    `settings` leave nothing open. Raises SettingsRefused for more sequences than llama.cpp can have.
    """
    alignment = _HOST_ALIGNMENT if span is None or span.has_input else _GPU_ALIGNMENT
    batch = reserved_batch(shape, settings)
    return peak_bytes(build(shape, batch, span), alignment) + untold_bytes(shape, batch)
