"""The breakdown is believed where the log says the same; else the log is."""

from dataclasses import replace

import pytest
from tests.gguf.forge import TOKENS

from quern.llama import Context, DeviceUse, Model, read_memory_use
from quern.llama.breakdown import BreakdownUnreadable, BufferUse
from quern.llama.log_figures import MIB, LogFigures, LoggedBuffer, LogPart
from quern.llama.memory_use import agrees, as_allocated, by_device, device_of, from_log

CPU = BufferUse(buffer_type="CPU", device="CPU", is_plain=True)
PLAIN = replace(CPU, weights=90 * MIB, kv=45 * MIB, compute=10 * MIB)
PACKED = replace(CPU, buffer_type="AMX", is_plain=False, weights=30 * MIB)
GPU = BufferUse(
    buffer_type="CUDA0", device="CUDA0", is_plain=False, weights=60 * MIB, kv=45 * MIB, recurrent=MIB, compute=5 * MIB
)
COMPUTE = (LoggedBuffer(LogPart.COMPUTE, "CPU", 10 * MIB), LoggedBuffer(LogPart.COMPUTE, "CUDA0", 5 * MIB))
RECURRENT = LoggedBuffer(LogPart.RECURRENT, "CUDA0", MIB)
FIGURES = LogFigures((RECURRENT, *COMPUTE), kv_bytes=(90 * MIB,), recurrent_bytes=(MIB,))
USES = (PLAIN, PACKED, GPU)


def model_line(n_bytes: int) -> LogFigures:
    return LogFigures((LoggedBuffer(LogPart.MODEL, "CPU", n_bytes),))


def test_host_comes_first_and_holds_what_kernels_packed() -> None:
    host, gpu = by_device((GPU, PLAIN, PACKED))
    assert host == DeviceUse(
        device="CPU", weights=120 * MIB, plain_weights=90 * MIB, kv=45 * MIB, recurrent=0, compute=10 * MIB
    )
    assert gpu == DeviceUse(device="CUDA0", weights=60 * MIB, kv=45 * MIB, recurrent=MIB, compute=5 * MIB)


def test_what_the_log_rounds_is_agreement() -> None:
    assert agrees(USES, FIGURES)
    assert agrees((replace(PLAIN, compute=10 * MIB + 5000), PACKED, GPU), FIGURES)


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAIN, compute=11 * MIB),
        replace(PLAIN, kv=44 * MIB),
        replace(PLAIN, recurrent=MIB),
    ],
)
def test_another_figure_is_disagreement(other: BufferUse) -> None:
    assert not agrees((other, PACKED, GPU), FIGURES)


def test_weights_are_compared_where_they_are_logged() -> None:
    assert agrees(USES, FIGURES + model_line(0))
    assert agrees(USES, FIGURES + model_line(180 * MIB))
    assert not agrees(USES, FIGURES + model_line(181 * MIB))


def test_a_buffer_that_backends_share_counts_once_in_a_dry_run() -> None:
    shared = LogFigures((*COMPUTE, COMPUTE[0]))
    doubled = replace(PLAIN, compute=20 * MIB)
    assert as_allocated((doubled, GPU), shared, 1000) == (PLAIN, GPU)


def test_an_input_that_only_a_dry_run_hands_over_counts_in_no_pipeline() -> None:
    figures = LogFigures(COMPUTE, is_pipelined=True, extra_inputs=(("CUDA0", 2),))
    larger = replace(GPU, compute=GPU.compute + 2 * 4 * 1000)
    assert as_allocated((PLAIN, larger), figures, 1000) == (PLAIN, GPU)
    assert as_allocated((PLAIN, GPU), replace(figures, is_pipelined=False), 1000) == (PLAIN, GPU)


def test_the_log_alone_tells_devices_by_the_names_of_buffers() -> None:
    figures = LogFigures(
        (
            LoggedBuffer(LogPart.MODEL, "CPU_Mapped", 90),
            LoggedBuffer(LogPart.MODEL, "AMX", 30),
            LoggedBuffer(LogPart.MODEL, "CUDA0", 60),
            LoggedBuffer(LogPart.KV, "CUDA0", 45),
            LoggedBuffer(LogPart.RECURRENT, "CUDA0", 1),
            LoggedBuffer(LogPart.COMPUTE, "CUDA_Host", 10),
            LoggedBuffer(LogPart.OUTPUT, "CUDA_Host", 7),
        ),
        kv_bytes=(45,),
    )
    host, gpu = from_log(figures, ("CPU", "CUDA0"))
    assert host == DeviceUse(device="CPU", weights=120, plain_weights=90, compute=10)
    assert gpu == DeviceUse(device="CUDA0", weights=60, kv=45, recurrent=1)


def test_a_dry_runs_log_knows_the_kv_cache_as_a_whole() -> None:
    figures = LogFigures((LoggedBuffer(LogPart.KV, "CPU", 0),), kv_bytes=(30, 40))
    assert from_log(figures, ()) == (DeviceUse(device="CPU", kv=70),)


@pytest.mark.parametrize(
    ("buffer", "device"),
    [("CUDA1", "CUDA1"), ("CUDA1_Split", "CUDA1"), ("CUDA10", "CUDA10"), ("CUDA_Host", "CPU"), ("CPU_Mapped", "CPU")],
)
def test_names_of_devices_do_not_swallow_each_other(buffer: str, device: str) -> None:
    assert device_of(buffer, ("CUDA1", "CUDA10")) == device


def test_both_witnesses_say_the_same_of_a_real_load(
    model: Model, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = read_memory_use(model, context)
    assert exact.is_exact
    assert exact.output == 4 * len(TOKENS)

    def unreadable(_context: int) -> tuple[BufferUse, ...]:
        raise BreakdownUnreadable("not here")

    monkeypatch.setattr("quern.llama.memory_use.read_breakdown", unreadable)
    logged = read_memory_use(model, context)
    assert not logged.is_exact
    assert logged.output == exact.output
    (host,), (logged_host,) = exact.devices, logged.devices
    for part in ("weights", "plain_weights", "kv", "recurrent", "compute"):
        assert getattr(logged_host, part) == pytest.approx(getattr(host, part), abs=0.006 * MIB)


def test_a_breakdown_that_the_log_contradicts_is_not_believed(
    model: Model, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(_context: int) -> tuple[BufferUse, ...]:
        return (replace(PLAIN, weights=1),)

    monkeypatch.setattr("quern.llama.memory_use.read_breakdown", wrong)
    use = read_memory_use(model, context)
    assert not use.is_exact
    assert use.devices[0].compute == context.log_figures.total(LogPart.COMPUTE)
