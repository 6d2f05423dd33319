"""Measures the engine against a bare loop over llama.h, and how long a cancel takes.

Run it on an otherwise idle machine: `python -m tests.engine.bench_decode MODEL.gguf [PAIRS]`. It prints the median
ratio (bar: 0.95) over interleaved pairs of 64 tokens each, and cancel times (bar: 200 ms).
"""

import sys
from pathlib import Path
from statistics import median
from threading import Timer
from time import perf_counter

from quern.engine import CompletionRequest, Engine, Generation, load_engine
from quern.llama import KV_TYPE_NUMBERS, Batch, Context, ContextParams, Model, ModelParams, SamplerChain
from quern.llama.binding import lib
from quern.spec import ExtraBuffers, KvType, LoadSettings, SamplingParams, TextProduced

N_TOKENS = 64
PROMPT = tuple(100 + index * 37 % 40_000 for index in range(32))
SAMPLING = SamplingParams(seed=1, temperature=1.0, max_tokens=N_TOKENS)


def bare_tokens_per_s(context: Context, model: Model) -> float:
    """Decode, sample, decode: C calls and nothing else."""
    assert context.memory is not None
    context.memory.clear()
    with Batch(len(PROMPT)) as batch, SamplerChain(SAMPLING, 1, model.vocab.n_tokens) as chain:
        batch.fill(PROMPT, 0)
        context.decode(batch)
        raw, handle, sampler = batch.raw, context.handle, chain.handle
        began_s = perf_counter()
        for position in range(len(PROMPT), len(PROMPT) + N_TOKENS - 1):
            batch.fill([lib.llama_sampler_sample(sampler, handle, -1)], position)
            lib.llama_decode(handle, raw)
        return (N_TOKENS - 1) / (perf_counter() - began_s)


def engine_tokens_per_s(engine: Engine) -> float:
    """The same through Generation events, read in this thread."""
    times_s = [
        perf_counter()
        for event in engine.submit(CompletionRequest(tokens=PROMPT, sampling=SAMPLING))
        if isinstance(event, TextProduced)
    ]
    return (len(times_s) - 1) / (times_s[-1] - times_s[0])


def cancel_ms(generation: Generation, after_s: float) -> float:
    """Milliseconds from the cancel, `after_s` after now, to the last event."""
    cancelled: list[float] = []

    def cancel() -> None:
        cancelled.append(perf_counter())
        generation.cancel()

    Timer(after_s, cancel).start()
    for _ in generation:
        pass
    return (perf_counter() - cancelled[0]) * 1000


def main(path: Path, n_pairs: int) -> None:
    """Measure and print."""
    settings = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED, n_ctx_cells=4608)
    with load_engine(path, settings, lambda _share: None) as engine:
        used = engine.facts.settings
        assert used.n_threads is not None
        f16 = KV_TYPE_NUMBERS[KvType.F16]
        params = ContextParams(
            n_ctx_cells=4608,
            n_batch_tokens=512,
            n_ubatch_tokens=512,
            n_threads=used.n_threads,
            flash_attention=False,
            type_k=f16,
            type_v=f16,
            offloads=False,
        )
        model_params = ModelParams(n_gpu_layers=None, allows_extra_buffers=False, uses_mmap=True)
        with Model.open(path, model_params, lambda _share: True) as model, Context(model, params) as context:
            pairs = [(bare_tokens_per_s(context, model), engine_tokens_per_s(engine)) for _ in range(n_pairs)]
        print("bare   ", " ".join(f"{bare:.1f}" for bare, _ in pairs), "tokens/s")
        print("engine ", " ".join(f"{through:.1f}" for _, through in pairs), "tokens/s")
        print(f"ratio   {median(through / bare for bare, through in pairs):.3f}")
        long_prompt = tuple(100 + index * 41 % 40_000 for index in range(4000))
        for after_s in (0.1, 0.5, 1.0):
            request = CompletionRequest(tokens=(int(after_s * 1000), *long_prompt), sampling=SAMPLING)
            print(f"cancel  {cancel_ms(engine.submit(request), after_s):.1f} ms, {after_s} s into a 4,000-token prompt")
        endless = CompletionRequest(tokens=PROMPT, sampling=SamplingParams(seed=1, temperature=2.0))
        for after_s in (0.8, 1.0, 1.3):
            print(f"cancel  {cancel_ms(engine.submit(endless), after_s):.1f} ms while decoding")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 9)
