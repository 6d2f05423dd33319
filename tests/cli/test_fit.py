"""`quern fit`: the starter model on this machine, for a person and for a program, and every bad question a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gguf.forge import TOKENS, Tensor, TinyModel, forge, forge_llama_model

from quern.base import WorkerFailed
from quern.fit import FitUnknown
from quern.runtime import FitSession

from .conftest import Ran, Run

DEVICE_KEYS = {"name", "total", "free", "weights", "kv", "recurrent", "compute", "output", "runtime", "other"}
ADAPTER = {"general.type": "adapter", "general.architecture": "llama", "adapter.type": "lora"}
HUGE = "16777216"


def document_of(ran: Ran) -> dict[str, Any]:
    """Return what a command printed with --json."""
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return forge_llama_model(tmp_path / "tiny.gguf")


def test_the_engine_measures_the_starter_model(run: Run) -> None:
    document = document_of(run("fit", "SmolLM2", "--ctx", "1000", "--json"))
    assert set(document) == {"model", "n_ctx", "verdict", "largest_ctx", "devices", "advice", "source"}
    assert (document["n_ctx"], document["verdict"], document["source"]) == (1024, "fits", "exact")
    assert (document["largest_ctx"], document["advice"]) == (8192, [])
    (host,) = document["devices"]
    assert set(host) == DEVICE_KEYS
    assert (host["name"], host["recurrent"]) == ("CPU", 0)
    assert host["kv"] == 1024 * 30 * 2 * 3 * 64 * 2  # cells x layers x (K, V) x heads x head size x f16
    assert host["output"] == 49152 * 4
    assert host["total"] >= host["free"] > 0


def test_the_instant_answer_is_close_to_the_engines(run: Run) -> None:
    exact, instant = (
        document_of(run("fit", "SmolLM2", how, "--json"))["devices"][0] for how in ("--exact", "--instant")
    )
    assert (instant["kv"], instant["output"]) == (exact["kv"], exact["output"])
    for part, share in (("weights", 0.005), ("compute", 0.08)):
        assert abs(instant[part] - exact[part]) <= share * exact[part]


def test_a_person_reads_a_verdict_and_a_table_of_each_device(run: Run) -> None:
    ran = run("fit", "SmolLM2", "--instant")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert lines[0] == "SmolLM2-135M-Instruct Q4_1 with a context of 4,096 tokens, estimated from the file's header:"
    assert lines[1] == "Fits. Largest context that fits: 8,192 tokens, all that the model was trained for."
    assert [line.split("  ")[0] for line in lines if line.startswith(("CPU", "Weights", "KV cache", "Together"))]


def test_what_a_load_took_stands_beside_its_estimate(run: Run) -> None:
    assert run("chat", "SmolLM2", "--once", "Hi", "--max-tokens", "1").code == 0
    out = run("fit", "SmolLM2", "--instant").out
    lines = out.splitlines()
    (head,) = [line for line in lines if "Measured" in line]
    line = lines[lines.index(head) + 2]
    assert head.split()[-6:] == ["Context", "Estimated", "Measured", "Quern", "grew", "by"]
    _date, _time, context, estimated, unit, measured, *_rest = line.split()
    assert (context, unit) == ("4,096", "MiB")
    assert float(estimated) == pytest.approx(float(measured), rel=0.08)  # pyright: ignore[reportUnknownMemberType]
    assert len(line) <= 80


def test_what_does_not_fit_comes_with_what_would_help(run: Run) -> None:
    asked = ("fit", "SmolLM2", "--ctx", HUGE, "--parallel", "2", "--instant")
    document = document_of(run(*asked, "--json"))
    assert document["verdict"] == "too_large"
    assert document["largest_ctx"] == 8192
    assert document["advice"]
    for step in document["advice"]:
        assert set(step) == {"kind", "detail", "device", "gain", "fits"}
    out = run(*asked).out
    assert "Too large: " in out
    assert "What would help" in out


def test_smaller_choices_need_less(run: Run) -> None:
    def host(*options: str) -> dict[str, int]:
        return document_of(run("fit", "SmolLM2", "--ctx", "4096", *options, "--instant", "--json"))["devices"][0]

    usual = host()
    assert host("--kv-type", "q8_0")["kv"] == usual["kv"] * 34 // 64
    assert host("--ubatch", "64")["compute"] < usual["compute"]
    assert host("--parallel", "4")["output"] == 4 * usual["output"]


def test_companions_are_counted(run: Run, model: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.gguf"
    shapes = {"lora_a": (64, 8), "lora_b": (8, 64)}
    tensors = [Tensor(f"blk.0.attn_q.weight.{name}", shape) for name, shape in shapes.items()]
    adapter.write_bytes(forge({**ADAPTER, "adapter.lora.alpha": 8.0}, tensors))
    alone = document_of(run("fit", str(model), "--instant", "--json"))["devices"][0]
    together = document_of(
        run("fit", str(model), "--draft", str(model), "--lora", str(adapter), "--instant", "--json")
    )["devices"][0]
    assert "draft" not in alone
    assert "adapters" not in alone
    assert together["draft"] > 0
    assert together["adapters"] == 2 * 64 * 8 * 4
    assert together["weights"] == alone["weights"]


@pytest.mark.parametrize("goal", ["fastest", "longest-context", "users"])
def test_a_goal_chooses_settings_that_fit(run: Run, goal: str) -> None:
    asked = ("fit", "SmolLM2", "--goal", goal, "--parallel", "2", "--instant")
    document = document_of(run(*asked, "--json"))
    assert document["verdict"] == "fits"
    assert document["settings"]["n_ctx_cells"] == document["n_ctx"]
    assert (document["settings"]["n_seq_max"] == 2) or goal != "users"
    assert "Best settings" in run(*asked).out


def test_layers_chosen_automatically_are_none_where_there_is_no_gpu(run: Run) -> None:
    document = document_of(run("fit", "SmolLM2", "--gpu-layers", "auto", "--instant", "--json"))
    assert document["verdict"] == "fits"


@pytest.mark.parametrize(
    "options",
    [
        ("--ctx", "-1"),
        ("--ctx", "1000000000000"),
        ("--ctx", "many"),
        ("--parallel", "0"),
        ("--parallel", "257"),
        ("--kv-type", "q9_9"),
        ("--gpu-layers", "some"),
        ("--cpu-moe", "-1"),
        ("--ubatch", "0"),
        ("--goal", "cheapest"),
    ],
)
def test_a_choice_that_cannot_be_is_a_usage_error(run: Run, options: tuple[str, str]) -> None:
    ran = run("fit", "SmolLM2", *options)
    assert (ran.code, ran.out) == (2, "")
    assert options[0] in ran.err
    assert "Traceback" not in ran.err


def test_a_context_of_0_is_the_automatic_one(run: Run) -> None:
    assert document_of(run("fit", "SmolLM2", "--ctx", "0", "--instant", "--json"))["n_ctx"] == 4096


def test_files_that_do_not_belong_are_one_sentence_each(run: Run, model: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.gguf"
    adapter.write_bytes(forge(ADAPTER, [Tensor("some.weight", (4, 4))]))
    other = forge_llama_model(tmp_path / "other.gguf", TinyModel(tokens=(*TOKENS, *(f"t{n}" for n in range(200)))))
    gone = tmp_path / "gone.gguf"
    asked = [
        (str(gone),),
        (str(adapter),),
        (str(model), "--mmproj", str(model)),
        (str(model), "--mmproj", str(gone)),
        (str(model), "--draft", str(other)),
        (str(model), "--draft", str(adapter)),
        (str(model), "--lora", str(model)),
        ("nothing like it",),
    ]
    for options in asked:
        ran = run("fit", *options, "--instant")
        assert ran.is_one_sentence_failure, (options, ran)


def test_a_kv_type_that_the_heads_do_not_divide_is_one_sentence(run: Run, model: Path) -> None:
    for how in ("--instant", "--exact"):
        ran = run("fit", str(model), "--kv-type", "q8_0", how)  # heads of 16, blocks of 32
        assert ran.is_one_sentence_failure, ran
        assert "cannot be loaded with these settings" in ran.err


def test_a_header_that_says_too_little_is_one_sentence(run: Run, tmp_path: Path) -> None:
    forge_llama_model(tmp_path / "odd.gguf", TinyModel(metadata={"llama.block_count": None}))
    ran = run("fit", str(tmp_path / "odd.gguf"))
    assert ran.is_one_sentence_failure, ran


def without_engine(*_: object) -> None:
    """Fail as a dry run fails where there is no llama.cpp."""
    raise FitUnknown("there is no llama.cpp") from WorkerFailed("dry_run", "none", "LibraryMissing")


def test_without_an_engine_the_instant_answer_comes_with_a_note(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FitSession, "exact", without_engine)
    ran = run("fit", "SmolLM2", "--json")
    assert json.loads(ran.out)["source"] == "instant"
    assert ran.err == "There is no engine to measure it, so this is an estimate from the file's header.\n"
    demanded = run("fit", "SmolLM2", "--exact")
    assert demanded.is_one_sentence_failure
    assert "--instant" in demanded.err


def test_show_tells_whether_the_model_fits(run: Run) -> None:
    assert document_of(run("show", "SmolLM2", "--json"))["fit"] == "fits"
    (line,) = [line for line in run("show", "SmolLM2").out.splitlines() if line.startswith("Fit ")]
    assert "with 4,096 tokens of context: Fits." in line


def test_the_persons_goal_is_what_is_told_where_nothing_else_is_asked(run: Run, own_home: Path) -> None:
    own_home.mkdir()
    (own_home / "settings.toml").write_text('[load]\nfit_goal = "longest_context"\n', encoding="utf-8")
    assert document_of(run("fit", "SmolLM2", "--instant", "--json"))["n_ctx"] == 8192
    assert document_of(run("fit", "SmolLM2", "--instant", "--ctx", "2048", "--json"))["n_ctx"] == 2048
    (line,) = [line for line in run("show", "SmolLM2").out.splitlines() if line.startswith("Fit ")]
    assert "with 8,192 tokens of context" in line
