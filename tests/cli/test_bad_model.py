"""Every file that cannot chat is refused in one sentence (GG-01..06, GG-08, GG-16, GG-20), and the process lives on."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gguf.forge import (
    CHATML,
    Counts,
    Tensor,
    TinyModel,
    forge,
    forge_llama_model,
    with_duplicate_token,
)

from .conftest import Run

GOOD = TinyModel(chat_template=CHATML)
ARCHITECTURE = {"general.architecture": "llama"}


def good_bytes(folder: Path) -> bytes:
    return forge_llama_model(folder / "good-source.bin", GOOD).read_bytes()


def changed(**metadata: object) -> bytes:
    return forge({**ARCHITECTURE, **metadata}, (Tensor("t", (4,)),))


FILES: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "web page": (lambda _: b"<!DOCTYPE html>" + b" " * 5000, "it is a web page"),
    "empty": (lambda _: b"", "it is an empty file"),
    "3 bytes": (lambda _: b"GGU", "only 3 bytes"),
    "LFS pointer": (lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "Git LFS pointer"),
    "half": (lambda folder: good_bytes(folder)[:-200_000], "is incomplete"),
    "one byte short": (lambda folder: good_bytes(folder)[:-1], "is incomplete"),
    "cut in the header": (lambda folder: good_bytes(folder)[:100], "is incomplete"),
    "2^60 tensors": (
        lambda _: forge(ARCHITECTURE, (), Counts(n_tensors=2**60)),
        f"claims {2**60:,} tensors",
    ),
    "2^60-byte string": (
        lambda _: b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**60),
        f"{2**60:,} bytes long",
    ),
    "version 1": (lambda _: forge(ARCHITECTURE, (), Counts(version=1)), "version 1"),
    "big-endian": (lambda _: forge(ARCHITECTURE, (), Counts(byte_order=">")), "big-endian"),
    "vocabulary": (
        lambda _: forge({**ARCHITECTURE, "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a", "b"]}),
        "a vocabulary without weights",
    ),
    "projector": (lambda _: forge({"general.architecture": "clip"}, (Tensor("v", (4,)),)), "a projector"),
    "LoRA": (lambda _: changed(**{"general.type": "adapter"}), "an adapter (LoRA)"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_model_is_refused_before_anything_is_loaded(run: Run, tmp_path: Path, name: str) -> None:
    content, words = FILES[name]
    path = tmp_path / "model.gguf"
    path.write_bytes(content(tmp_path))
    ran = run("chat", str(path), "--once", "hi")
    assert ran.is_one_sentence_failure
    assert words in ran.err
    assert run("show", str(path)).err == ran.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("m-00002-of-00002.gguf", 'Open "m-00001-of-00002.gguf" instead'),
        ("m-00001-of-00003.gguf", '"m-00002-of-00003.gguf" and 1 more are missing'),
    ],
)
def test_a_wrong_or_lonely_shard_names_what_to_open_or_find(run: Run, tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(good_bytes(tmp_path))
    if "of-00002" in name:
        (tmp_path / "m-00001-of-00002.gguf").write_bytes(good_bytes(tmp_path))
    ran = run("chat", str(tmp_path / name), "--once", "hi")
    assert ran.is_one_sentence_failure
    assert words in ran.err


def test_a_missing_file_and_a_folder_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    for name, words in (("gone.gguf", "there is no such file"), ("folder.gguf", "it is a folder")):
        ran = run("chat", str(tmp_path / name), "--once", "hi")
        assert ran.is_one_sentence_failure
        assert words in ran.err


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TinyModel(chat_template=CHATML, metadata={"general.architecture": "frob"}), "the frob family"),
        (TinyModel(chat_template=CHATML, dropped_tensors=frozenset({"output_norm.weight"})), "output_norm.weight"),
        (TinyModel(chat_template=CHATML, metadata={"llama.block_count": 0}), "could not be loaded"),
        (with_duplicate_token(), "vocabulary"),
    ],
    ids=["architecture", "missing tensor", "no layers", "duplicate token"],
)
def test_a_model_that_the_engine_refuses_or_dies_of_carries_its_reason(
    run: Run, tmp_path: Path, model: TinyModel, words: str
) -> None:
    path = forge_llama_model(tmp_path / "bad.gguf", model)
    ran = run("chat", str(path), "--once", "hi", "--template", "chatml")
    assert ran.is_one_sentence_failure
    assert words in ran.err


def test_a_model_without_a_template_says_which_to_take(run: Run, tmp_path: Path) -> None:
    ran = run("chat", str(forge_llama_model(tmp_path / "bare.gguf")), "--once", "hi")
    assert ran.is_one_sentence_failure
    assert "--template chatml" in ran.err


@pytest.mark.parametrize("prompt", ["", "  \n\t "])
def test_an_empty_prompt_is_refused_before_the_model_is_looked_at(run: Run, prompt: str) -> None:
    ran = run("chat", "no such model", "--once", prompt)
    assert ran.is_one_sentence_failure
    assert "The message is empty" in ran.err
