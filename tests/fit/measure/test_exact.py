"""The exact answer: real dry runs of tiny models, and a child that says what machines with GPUs say."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from tests.fit.forged import cpu, gpu
from tests.gguf.forge import TOKENS, TinyModel, forge_llama_model
from tests.llama.tiny_projector import WEIGHT_BYTES, forge_projector

from quern.base import Cancelled, CancelToken, Json, JsonObject, WorkerFailed
from quern.engine import load_engine
from quern.fit import (
    HOST,
    CompanionFiles,
    DeviceNeed,
    ExactEstimator,
    FitSubject,
    FitUnknown,
    Needs,
    RuntimeCosts,
    SettingsRefused,
    Source,
    SparseCopy,
    shape_of,
    work_bytes,
)
from quern.fit.errors import DeviceGone
from quern.gguf import FileSource, read_model_header
from quern.hardware import EngineDevice, EngineInfo
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings

MIB = 1 << 20
COSTS = RuntimeCosts()
SETTINGS = LoadSettings(
    n_ctx_cells=512,
    n_threads=2,
    n_gpu_layers=0,
    flash_attention=FlashAttention.OFF,
    extra_buffers=ExtraBuffers.AVOIDED,
    mmap=False,
)


@dataclass
class Reckoned:
    """An instant estimator that has reckoned already."""

    answer: tuple[DeviceNeed, ...]
    source: Source = Source.INSTANT

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        return self.answer if settings.n_ctx_cells else ()


def engine_with(*devices: EngineDevice) -> EngineInfo:
    return EngineInfo(version="1", build="1+a", system_info="", backends=("CPU",), devices=(cpu(), *devices))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forge_llama_model(tmp_path_factory.mktemp("exact") / "tiny.gguf")


def estimator(path: Path, engine: EngineInfo | None = None) -> ExactEstimator:
    return ExactEstimator(path, FitSubject(model=read_model_header(path)), engine or engine_with(), COSTS)


def parts(need: DeviceNeed) -> Needs:
    return replace(need.needs, runtime=0)


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        replace(SETTINGS, mmap=True),
        replace(SETTINGS, flash_attention=FlashAttention.ON, n_ctx_cells=2048, n_ubatch_tokens=64),
        replace(SETTINGS, n_seq_max=3, kv_unified=False),
        replace(SETTINGS, type_k=KvType.F32, type_v=KvType.F32, n_seq_max=2),
    ],
)
def test_it_foretells_a_load_to_the_byte(path: Path, settings: LoadSettings) -> None:
    (host,) = estimator(path).needs(settings)
    with load_engine(path, settings, lambda _share: None) as engine:
        (measured,) = engine.facts.measured
    assert host.device == measured.device == HOST
    assert parts(host) == measured.needs
    assert host.mapped == measured.mapped == (host.needs.weights if settings.mmap else 0)
    assert 2 * MIB < host.needs.runtime < 64 * MIB
    assert estimator(path).source is Source.EXACT


def test_a_header_without_its_data_says_the_same(path: Path, tmp_path: Path) -> None:
    with FileSource(path) as source, SparseCopy(source, folder=tmp_path) as copy:
        (hollow,) = estimator(copy.path).needs(SETTINGS)
    (whole,) = estimator(path).needs(SETTINGS)
    assert parts(hollow) == parts(whole)


@pytest.mark.parametrize("n_ctx_cells", [0, -1, 10**12])
def test_impossible_contexts_are_a_sentence(path: Path, n_ctx_cells: int) -> None:
    with pytest.raises(SettingsRefused) as refused:
        estimator(path).needs(replace(SETTINGS, n_ctx_cells=n_ctx_cells))
    assert f"{n_ctx_cells:,} cells" in refused.value.what


def test_a_kv_type_that_does_not_divide_the_heads_is_a_sentence(path: Path) -> None:
    with pytest.raises(SettingsRefused) as refused:
        estimator(path).needs(replace(SETTINGS, type_k=KvType.Q4_0, flash_attention=FlashAttention.ON))
    assert "does not divide" in refused.value.what


def test_a_file_that_is_gone_is_a_sentence(path: Path, tmp_path: Path) -> None:
    known = estimator(path)
    with pytest.raises(FitUnknown) as unknown:
        replace(known, path=tmp_path / "gone.gguf").needs(SETTINGS)
    assert "cannot be read" in unknown.value.what


def test_a_header_that_ends_the_child_is_a_sentence(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "odd.gguf", TinyModel(metadata={"llama.attention.head_count": 0}))
    with pytest.raises(FitUnknown):
        estimator(path).needs(SETTINGS)


def test_a_cancelled_question_is_not_asked(path: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        replace(estimator(path), cancel=cancel).needs(SETTINGS)


def test_a_draft_model_is_loaded_like_the_model(path: Path) -> None:
    header = read_model_header(path)
    alone = estimator(path)
    paired = replace(alone, subject=FitSubject(model=header, draft=header), companions=CompanionFiles(draft=path))
    (single,), (both,) = alone.needs(SETTINGS), paired.needs(SETTINGS)
    vocabulary = COSTS.host_bytes(n_vocab=len(TOKENS), tokenizer="llama", work_bytes=0) - COSTS.base_bytes
    assert both.needs.draft == parts(single).total + vocabulary
    assert replace(parts(both), draft=0) == parts(single)


def test_a_projector_is_asked_for(path: Path, tmp_path: Path) -> None:
    projector = forge_projector(tmp_path / "mmproj.gguf")
    subject = FitSubject(model=read_model_header(path), projector=read_model_header(projector))
    known = replace(estimator(path), subject=subject, companions=CompanionFiles(projector=projector))
    (host,) = known.needs(SETTINGS)
    assert WEIGHT_BYTES < host.needs.projector < WEIGHT_BYTES + MIB


def test_a_companion_without_its_file_is_a_mistake_of_the_caller(path: Path) -> None:
    header = read_model_header(path)
    with pytest.raises(ValueError, match="companion"):
        ExactEstimator(path, FitSubject(model=header, draft=header), engine_with(), COSTS)


GPU = gpu("CUDA0")
SAID: JsonObject = {
    "devices": [
        {"device": "CPU", "weights": 50, "plain_weights": 40, "kv": 30, "recurrent": 20, "compute": 10},
        {"device": "CUDA0", "weights": 500, "plain_weights": 0, "kv": 300, "recurrent": 0, "compute": 100},
    ],
    "output": 7,
    "work": None,
    "resident": 30 * MIB,
    "knows_weights": True,
    "n_vocab": 1000,
    "gpus": ["CUDA0"],
}


def saying(monkeypatch: pytest.MonkeyPatch, *answers: "Json | Exception") -> list[JsonObject]:
    """Have the worker say these one after another; return what it is asked."""
    asked: list[JsonObject] = []

    def answer(_name: str, question: Json, *_: object) -> Json:
        asked.append(cast("JsonObject", question))
        said = answers[len(asked) - 1]
        if isinstance(said, Exception):
            raise said
        return said

    monkeypatch.setattr("quern.fit.measure.dry_run.ask_worker", answer)
    return asked


OFFLOADED = replace(SETTINGS, n_gpu_layers=None, mmap=True)


def test_each_device_holds_its_part(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, SAID)
    host, card = estimator(path, engine_with(GPU)).needs(OFFLOADED)
    assert parts(host) == Needs(weights=50, kv=30, recurrent=20, compute=10, output=7)
    assert host.mapped == 40
    work = work_bytes(shape_of(read_model_header(path)), OFFLOADED)
    assert host.needs.runtime == COSTS.host_bytes(n_vocab=1000, tokenizer="llama", work_bytes=work)
    assert parts(card) == Needs(weights=500, kv=300, compute=100)
    assert (card.mapped, card.needs.runtime) == (0, COSTS.gpu_bytes("CUDA"))


def test_a_gpu_that_vanished_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: JsonObject = {**SAID, "gpus": []}
    saying(monkeypatch, gone, gone)
    known = estimator(path, engine_with(GPU))
    with pytest.raises(DeviceGone) as vanished:
        known.needs(OFFLOADED)
    assert GPU.description in vanished.value.what
    assert known.needs(SETTINGS)


def test_the_work_buffer_is_llama_cpps_where_it_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, {**SAID, "work": 5})
    host, _ = estimator(path, engine_with(GPU)).needs(OFFLOADED)
    assert host.needs.runtime == COSTS.host_bytes(n_vocab=1000, tokenizer="llama", work_bytes=5)


def test_an_architecture_that_only_llama_cpp_knows_has_no_work_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forge_llama_model(tmp_path / "new.gguf", TinyModel(metadata={"general.architecture": "new"}))
    saying(monkeypatch, SAID)
    host, _ = estimator(path, engine_with(GPU)).needs(OFFLOADED)
    assert host.needs.runtime == COSTS.host_bytes(n_vocab=1000, tokenizer="llama", work_bytes=0)


def test_the_vocabulary_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = saying(monkeypatch, SAID)
    estimator(path, engine_with(GPU)).needs(OFFLOADED)
    assert asked[0]["vocabulary"] == {"architecture": "llama", "n_tokens": len(TOKENS)}


def test_without_llama_cpps_account_weights_and_kv_are_reckoned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, {**SAID, "knows_weights": False}, {**SAID, "knows_weights": False})
    known = estimator(path, engine_with(GPU))
    reckoned = (
        DeviceNeed(HOST, Needs(weights=1, kv=2, compute=3), mapped=1),
        DeviceNeed("CUDA0", Needs(weights=4, kv=5, compute=6)),
    )
    host, card = replace(known, instant=Reckoned(reckoned)).needs(OFFLOADED)
    assert parts(host) == Needs(weights=1, kv=2, recurrent=20, compute=10, output=7)
    assert parts(card) == Needs(weights=4, kv=5, compute=100)
    assert host.mapped == 1
    with pytest.raises(FitUnknown):
        known.needs(OFFLOADED)


def test_a_draft_model_that_does_not_take_the_kv_type_keeps_16_bits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = WorkerFailed("dry_run", "x", "ContextRefused", {"reason": "it does not divide"})
    asked = saying(monkeypatch, SAID, refusal, SAID)
    header = read_model_header(path)
    known = replace(
        estimator(path, engine_with(GPU)),
        subject=FitSubject(model=header, draft=header),
        companions=CompanionFiles(draft=path),
    )
    _, card = known.needs(replace(OFFLOADED, type_k=KvType.Q8_0, n_cpu_moe_layers=3))
    assert card.needs.draft == 900
    settings = [cast("JsonObject", question["settings"]) for question in asked]
    assert [said["type_k"] for said in settings] == ["q8_0", "q8_0", "f16"]
    assert [said["n_cpu_moe_layers"] for said in settings] == [3, 0, 0]
