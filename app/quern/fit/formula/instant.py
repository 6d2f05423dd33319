"""The instant answer: everything that a load takes, from headers alone, in microseconds."""

from collections.abc import Iterable
from dataclasses import replace

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.buffer.work_buffer import work_bytes
from quern.fit.measure.runtime_costs import RuntimeCosts
from quern.fit.need import DeviceNeed, Needs
from quern.fit.place.adapter import AdapterTable
from quern.fit.place.buffer_type import kernels_of
from quern.fit.place.offload import memory_of, offload_devices
from quern.fit.place.placement import Placement
from quern.fit.place.projector_shape import projector_shape_of
from quern.fit.report import Source
from quern.fit.room import HOST
from quern.fit.shape.model_shape import ModelShape
from quern.fit.subject import FitSubject
from quern.gguf import ModelHeader
from quern.hardware import EngineInfo
from quern.spec import KvType, LoadSettings

from .corrections import Corrections
from .reckoner import Reckoner, Reckoning


class InstantEstimator:
    """Knows one subject on one engine, by closed formulas; an Estimator. Thread-safe.

    The draft model is loaded with the model's settings: the same context, its own cache, where its layers fit on the
    same devices. A projector is on the first GPU where the model uses any (tools/mtmd/clip.cpp).
    """

    def __init__(self, subject: FitSubject, engine: EngineInfo, costs: RuntimeCosts, corrections: Corrections) -> None:
        """Raises FitUnknown where a header does not say enough."""
        kernels = kernels_of(engine.system_info)
        self._costs, self._corrections = costs, corrections
        self._model = Reckoner(subject.model, engine.devices, kernels)
        self._tokenizer = _tokenizer(subject.model)
        self._draft = None if subject.draft is None else Reckoner(subject.draft, engine.devices, kernels)
        self._draft_tokenizer = None if subject.draft is None else _tokenizer(subject.draft)
        self._projector = None if subject.projector is None else projector_shape_of(subject.projector)
        memories = {memory_of(device) for device in offload_devices(engine.devices)}
        self._adapters = AdapterTable(subject.adapters, self._model.shape, memories)

    @property
    def source(self) -> Source:
        """How it knows."""
        return Source.INSTANT

    @property
    def shape(self) -> ModelShape:
        """The model's shape."""
        return self._model.shape

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what each device must hold, the host first. `settings` leave nothing open (see `resolve`).

        Raises FitUnknown, SettingsRefused for settings that llama.cpp does not take with this model.
        """
        found = self._model.reckon(settings)
        needs = {device: self._corrected(part, settings) for device, part in found.needs.items()}
        needs[HOST] += Needs(runtime=self._host_runtime(settings))
        for device in found.placement.devices:
            needs[device.name] += Needs(runtime=self._costs.gpu_bytes(device.backend))
        for device, extra in self._companions(settings, found):
            needs[device] += extra
        return tuple(DeviceNeed(device, part, found.mapped if device == HOST else 0) for device, part in needs.items())

    def _corrected(self, needs: Needs, settings: LoadSettings) -> Needs:
        compute = self._corrections.compute(needs.compute, settings)
        return needs if compute == needs.compute else replace(needs, compute=compute)

    def _host_runtime(self, settings: LoadSettings) -> int:
        shape = self._model.shape
        return self._costs.host_bytes(
            n_vocab=shape.n_vocab, tokenizer=self._tokenizer, work_bytes=work_bytes(shape, settings)
        )

    def _companions(self, settings: LoadSettings, found: Reckoning) -> Iterable[tuple[str, Needs]]:
        for device, n_bytes in self._adapters.on(found.placement, settings).items():
            yield device, Needs(adapters=n_bytes)
        if self._projector is not None:
            yield _first_device(found.placement), Needs(projector=self._projector.nbytes(settings))
        if self._draft is not None:
            drafted = _reckoned(self._draft, replace(settings, n_cpu_moe_layers=0))
            for device, part in drafted.needs.items():
                yield device, Needs(draft=part.total)
            yield HOST, Needs(draft=self._vocabulary(self._draft.shape, self._draft_tokenizer))

    def _vocabulary(self, shape: ModelShape, tokenizer: str | None) -> int:
        """Bytes of a second vocabulary; the library itself is there once."""
        whole = self._costs.host_bytes(n_vocab=shape.n_vocab, tokenizer=tokenizer, work_bytes=0)
        return whole - self._costs.base_bytes


def _tokenizer(model: ModelHeader) -> str | None:
    return model.first.string("tokenizer.ggml.model")


def _first_device(placement: Placement) -> str:
    return placement.devices[0].name if placement.devices else HOST


def _reckoned(draft: Reckoner, settings: LoadSettings) -> Reckoning:
    """A draft model whose heads do not allow the model's KV type keeps 16 bits."""
    try:
        return draft.reckon(settings)
    except SettingsRefused:
        return draft.reckon(replace(settings, type_k=KvType.F16, type_v=KvType.F16))
