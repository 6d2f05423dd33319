"""The exact answer: llama.cpp itself, which measures and allocates nothing, in a child process."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from quern.base import CancelToken
from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.buffer.work_buffer import work_bytes
from quern.fit.errors import DeviceGone, FitUnknown
from quern.fit.estimator import Estimator
from quern.fit.need import DeviceNeed, Needs
from quern.fit.place.adapter import AdapterTable
from quern.fit.place.offload import memory_of, offload_devices
from quern.fit.place.placement import place
from quern.fit.place.projector import projector_needs
from quern.fit.report import Source
from quern.fit.room import HOST
from quern.fit.shape.model_shape import shape_of
from quern.fit.subject import FitSubject
from quern.gguf import ModelHeader
from quern.hardware import EngineInfo
from quern.spec import KvType, LoadSettings

from .dry_run import DryRunAnswer, ask_dry_run
from .runtime_costs import RuntimeCosts


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanionFiles:
    """Where the headers of a subject's projector and draft model are."""

    projector: Path | None = None
    draft: Path | None = None


@dataclass(frozen=True, slots=True)
class ExactEstimator:
    """Asks a child about each load, in a job: 0.3 s for a small vocabulary. An Estimator.

    The header of `subject`'s model is at `path` (its first file), those of its companions at `companions`: real files,
    or `SparseCopy`s of them. `instant` is asked for weights and KV cache where llama.cpp cannot say which device holds
    them (Windows, where it does not export the function).
    """

    path: Path
    subject: FitSubject
    engine: EngineInfo
    costs: RuntimeCosts
    cancel: CancelToken | None = None
    companions: CompanionFiles = CompanionFiles()
    instant: Estimator | None = None

    def __post_init__(self) -> None:
        """ValueError where a companion has a header and no file: it would not be counted."""
        has_headers = (self.subject.projector is not None, self.subject.draft is not None)
        if has_headers != (self.companions.projector is not None, self.companions.draft is not None):
            raise ValueError("each companion needs its header and its file")

    @property
    def source(self) -> Source:
        """How it knows."""
        return Source.EXACT

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what each device must hold, the host first. `settings` leave nothing open (see `resolve`).

        Raises FitUnknown, SettingsRefused or DeviceGone, whatever becomes of the child, and Cancelled.
        """
        found = self._ask(self.path, self.subject.model, settings)
        needs, mapped = self._weighed(found, settings)
        needs[HOST] += Needs(output=found.output, runtime=self._runtime_bytes(found, settings))
        for device in offload_devices(self.engine.devices):
            if device.name in needs:
                needs[device.name] += Needs(runtime=self.costs.gpu_bytes(device.backend))
        for device, extra in self._companion_needs(settings):
            needs[device] = needs.get(device, Needs()) + extra
        return tuple(DeviceNeed(device, part, mapped if device == HOST else 0) for device, part in needs.items())

    def _ask(self, path: Path, model: ModelHeader, settings: LoadSettings) -> DryRunAnswer:
        has_gpus = bool(self.engine.gpu_devices)
        found = ask_dry_run(path, settings, has_gpus=has_gpus, header=model.first, cancel=self.cancel)
        gpus = offload_devices(self.engine.devices) if settings.n_gpu_layers != 0 else ()
        for gpu in gpus:
            if gpu.name not in found.gpus:
                raise DeviceGone(gpu.description or gpu.name)
        return found

    def _weighed(self, found: DryRunAnswer, settings: LoadSettings) -> tuple[dict[str, Needs], int]:
        """Return the buffers by device, and how many of the host's bytes are mapped."""
        if not found.knows_weights:
            return self._reckoned(found, settings)
        needs, plain = dict(found.devices), found.plain_weights
        if not settings.mmap:
            return needs, 0
        if plain == sum(part.weights for part in needs.values()):
            # A dry run reads where a load maps: it pads tensors, and has twice what two of them share in the file.
            plain = min(plain, _file_bytes(self.subject.model))
            needs[HOST] = replace(needs[HOST], weights=plain)
        return needs, plain

    def _reckoned(self, found: DryRunAnswer, settings: LoadSettings) -> tuple[dict[str, Needs], int]:
        if self.instant is None:
            raise FitUnknown("this engine does not say which device takes how much of it")
        reckoned = self.instant.needs(settings)
        nothing = Needs()
        needs = {
            need.device: replace(found.devices.get(need.device, nothing), weights=need.needs.weights, kv=need.needs.kv)
            for need in reckoned
        }
        return needs, sum(need.mapped for need in reckoned)

    def _runtime_bytes(self, found: DryRunAnswer, settings: LoadSettings) -> int:
        work = self._work_bytes(settings) if found.work is None else found.work
        tokenizer = _tokenizer(self.subject.model)
        return self.costs.host_bytes(n_vocab=found.n_vocab, tokenizer=tokenizer, work_bytes=work)

    def _work_bytes(self, settings: LoadSettings) -> int:
        """The work buffer beside GPUs, where llama.cpp cannot be asked for it without allocating on them."""
        try:
            return work_bytes(shape_of(self.subject.model), settings)
        except FitUnknown:  # an architecture that only llama.cpp knows
            return 0

    def _companion_needs(self, settings: LoadSettings) -> Iterator[tuple[str, Needs]]:
        if self.subject.adapters:
            shape = shape_of(self.subject.model)
            placement = place(shape, settings, self.engine.devices)
            table = AdapterTable(self.subject.adapters, shape, map(memory_of, placement.devices))
            for device, n_bytes in table.on(placement, settings).items():
                yield device, Needs(adapters=n_bytes)
        if self.companions.projector is not None:
            yield from projector_needs(self.companions.projector, settings, self.engine, self.cancel).items()
        if self.companions.draft is not None and self.subject.draft is not None:
            found = self._ask_draft(self.companions.draft, self.subject.draft, replace(settings, n_cpu_moe_layers=0))
            for device, part in found.devices.items():
                yield device, Needs(draft=part.total)
            tokenizer = _tokenizer(self.subject.draft)
            whole = self.costs.host_bytes(n_vocab=found.n_vocab, tokenizer=tokenizer, work_bytes=0)
            yield HOST, Needs(draft=found.output + whole - self.costs.base_bytes)

    def _ask_draft(self, path: Path, model: ModelHeader, settings: LoadSettings) -> DryRunAnswer:
        """A draft model whose heads do not allow the model's KV type keeps 16 bits."""
        try:
            return self._ask(path, model, settings)
        except SettingsRefused:
            return self._ask(path, model, replace(settings, type_k=KvType.F16, type_v=KvType.F16))


def _file_bytes(model: ModelHeader) -> int:
    """What a load maps of a model on the CPU alone: from the first to the end of the last tensor of each file
    (llama-model-loader.cpp, get_mapping_range).
    """
    return sum(header.needed_bytes - header.data_offset for header in model.shards)


def _tokenizer(model: ModelHeader) -> str | None:
    return model.first.string("tokenizer.ggml.model")
