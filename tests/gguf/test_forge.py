"""The forged tiny model is a real one: llama.cpp opens it and decodes with it."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.gguf.forge import (
    BOS_ID,
    CHATML,
    EOS_ID,
    N_CTX_TRAIN,
    N_LAYERS,
    TOKENS,
    TinyModel,
    forge_llama_model,
    with_duplicate_token,
)

from quern.gguf import inspect_model

# Extra buffers off: with them llama.cpp crashes on machines that announce AMX and do not have it.
PROBE = """
import sys
import llama_cpp as c

c.llama_backend_init()
settings = c.llama_model_default_params()
settings.use_extra_bufts = False
model = c.llama_model_load_from_file(sys.argv[1].encode(), settings)
if not model:
    sys.exit("not loaded")
vocab = c.llama_model_get_vocab(model)
text = "the cat \\U0001f600<|im_end|>".encode()
tokens = (c.llama_token * 64)()
n = c.llama_tokenize(vocab, text, len(text), tokens, 64, True, True)
context = c.llama_init_from_model(model, c.llama_context_default_params())
status = c.llama_decode(context, c.llama_batch_get_one(tokens, n))
logits = c.llama_get_logits_ith(context, -1)
finite = all(logits[i] == logits[i] for i in range(c.llama_vocab_n_tokens(vocab)))
print(n, tokens[0], tokens[n - 1], status, finite)
"""


def probe(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROBE, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_llama_cpp_opens_and_decodes_it(tmp_path: Path) -> None:
    result = probe(forge_llama_model(tmp_path / "tiny.gguf", TinyModel(chat_template=CHATML)))
    assert result.returncode == 0, result.stderr
    n_tokens, first, last, status, finite = result.stdout.split()
    assert int(n_tokens) > 8
    assert int(first) == BOS_ID
    assert TOKENS[int(last)] == "<|im_end|>"
    assert (status, finite) == ("0", "True")


def test_its_facts_are_those_it_was_forged_with(tmp_path: Path) -> None:
    facts = inspect_model(forge_llama_model(tmp_path / "tiny.gguf", TinyModel(chat_template=CHATML)))
    assert (facts.n_ctx_train, facts.n_layer, facts.n_vocab) == (N_CTX_TRAIN, N_LAYERS, len(TOKENS))
    assert (facts.bos_token_id, facts.eos_token_id) == (BOS_ID, EOS_ID)
    assert facts.chat_templates == {"default": CHATML}
    assert facts.quantization == "F32"


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(TinyModel(dropped_tensors=frozenset({"output_norm.weight"})), id="GG-16"),
        pytest.param(TinyModel(metadata={"llama.block_count": 10000}), id="GG-08"),
    ],
)
def test_broken_variants_are_not_loaded(tmp_path: Path, model: TinyModel) -> None:
    assert probe(forge_llama_model(tmp_path / "tiny.gguf", model)).returncode != 0


def test_GG_06_a_duplicate_token_really_kills_the_library(tmp_path: Path) -> None:
    result = probe(forge_llama_model(tmp_path / "tiny.gguf", with_duplicate_token()))
    assert result.returncode not in (0, 1)
