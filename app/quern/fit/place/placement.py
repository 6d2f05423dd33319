"""Which device holds each layer of a model (llama.cpp: src/llama-model.cpp, load_tensors)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from struct import Struct

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.room import HOST
from quern.fit.shape.model_shape import ModelShape
from quern.hardware import EngineDevice
from quern.spec import LoadSettings

from .offload import offload_devices

_SINGLE = Struct("<f")
_LARGEST_SHARE = 2.0**64  # sums of as many as there may be GPUs still are numbers in single precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The GPUs that take part, in llama.cpp's order, and the names of the devices that hold each layer and the output.

    The input (embedding table) is always the host's. KV cache and recurrent state lie where their layer does. The
    experts of the first `n_cpu_moe_layers` layers are the host's, wherever the rest of the layer is.
    """

    devices: tuple[EngineDevice, ...]
    layers: tuple[str, ...]
    output: str
    n_cpu_moe_layers: int = 0

    @property
    def is_on_host_alone(self) -> bool:
        """Whether no GPU holds anything."""
        return not self.devices

    @property
    def offloads_all(self) -> bool:
        """Whether the host holds no layer, no output and no experts."""
        return HOST not in self.layers and self.output != HOST and self.n_cpu_moe_layers == 0

    def devices_with_layers(self) -> tuple[str, ...]:
        """Names of the devices that hold a layer or the output; each once, in the order of the layers."""
        return tuple(dict.fromkeys((*self.layers, self.output)))


def place(shape: ModelShape, settings: LoadSettings, devices: Iterable[EngineDevice]) -> Placement:
    """Return where llama.cpp puts a model of `shape`; `devices` are all of the engine's.

    The last n_gpu_layers of the layers and the output, which counts as one more, are spread over the GPUs: the i-th of
    them goes to the first GPU whose share, summed up from the first, exceeds i / n. Shares are `tensor_split`, else
    free memory. Raises SettingsRefused for shares that do not go with the GPUs.
    """
    all_devices = tuple(devices)
    gpus = () if settings.n_gpu_layers == 0 else offload_devices(all_devices)
    n_all = shape.n_layer_all + 1
    if not gpus:
        return Placement(devices=(), layers=(HOST,) * shape.n_layer_all, output=HOST)
    n_offloaded = n_all if settings.n_gpu_layers is None else max(0, min(settings.n_gpu_layers, n_all))
    ends = _ends(_shares(settings, gpus, all_devices))
    names = [HOST] * (n_all - n_offloaded)
    names += [gpus[_first_above(ends, _single(i / n_offloaded))].name for i in range(n_offloaded)]
    return Placement(
        devices=gpus,
        layers=tuple(names[:-1]),
        output=names[-1],
        n_cpu_moe_layers=max(0, settings.n_cpu_moe_layers),
    )


def _shares(settings: LoadSettings, gpus: Sequence[EngineDevice], devices: Iterable[EngineDevice]) -> list[float]:
    split = settings.tensor_split
    if not all(0 <= share <= _LARGEST_SHARE for share in split):
        raise SettingsRefused("a GPU's share of the layers is a number from 0 to 2^64")
    if any(split):
        if len(split) != len(gpus):
            raise SettingsRefused(f"it is to be split {len(split)} ways, and the engine offloads to {len(gpus)}")
        return list(split)
    host = next((device for device in devices if device.name == HOST), None)
    return [_free(gpu, host) for gpu in gpus]


def _free(gpu: EngineDevice, host: EngineDevice | None) -> float:
    """Free memory; the host's where a GPU has none to report."""
    if gpu.free == 0 and gpu.total == 0 and host is not None:
        return float(host.free)
    return float(gpu.free)


def _ends(shares: Sequence[float]) -> list[float]:
    """Where each GPU's part of the layers ends, of 1, in the single precision that llama.cpp counts in."""
    sums = list(accumulate(map(_single, shares), lambda total, share: _single(total + share)))
    whole = sums[-1]
    return [_single(total / whole) if whole else 1.0 for total in sums]


def _first_above(ends: Sequence[float], position: float) -> int:
    """std::upper_bound; the last one where none is above, which llama.cpp's own numbers never reach."""
    return next((index for index, end in enumerate(ends) if end > position), len(ends) - 1)


def _single(value: float) -> float:
    return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
