"""The real machine: one llama.cpp model with one context. The only module of the engine that knows quern.llama."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import isnan
from pathlib import Path

from quern.fit import HOST, Circumstances, DeviceNeed, Needs, request_limit, resolve
from quern.gguf import find_shards
from quern.hardware import default_thread_count, detect_cpu
from quern.llama import (
    Backend,
    Batch,
    Context,
    ContextRefused,
    Decoded,
    DecodeFailed,
    DeviceKind,
    LoadRefused,
    Model,
    SamplerChain,
    context_params_of,
    model_params_of,
    read_memory_use,
)
from quern.spec import LoadSettings, SamplingParams

from .errors import CannotChat, ContextNotCreatable, EngineBroken, NotNumbers, VocabularyUnusable
from .facts import EngineFacts
from .loaded_file import LoadedFiles
from .machine import StepEnd
from .refusal import error_from_refusal
from .tokenizer import Tokenizer

STEP_ENDS = {Decoded.DONE: StepEnd.DONE, Decoded.NO_ROOM: StepEnd.NO_ROOM, Decoded.ABORTED: StepEnd.ABORTED}
GPU_KINDS = frozenset({DeviceKind.GPU, DeviceKind.INTEGRATED_GPU})
# Reasoning marks that some models have as control tokens, which would otherwise be invisible in the reply.
SHOWN_TOKENS = frozenset({"<think>", "</think>"})


class NativeMachine:
    """Owns a llama.cpp model, its context, a batch and the running request's sampler chain (see `Machine`)."""

    def __init__(self, path: Path, settings: LoadSettings, go_on: Callable[[float], bool]) -> None:
        """Open the model; `go_on(share)` hears of progress (0..1) and answers whether to go on.

        Raises ModelNotLoadable, UnknownArchitecture, VocabularyUnusable, CannotChat, ContextNotCreatable, Cancelled;
        LibraryMissing when there is no engine at all.
        """
        with ExitStack() as owned:
            self._gpu_names = _gpu_names(settings)
            self._files = owned.enter_context(LoadedFiles(find_shards(path)))
            self._model = owned.enter_context(_open_model(path, settings, go_on))
            vocab = self._model.vocab
            if not vocab.has_tokenizer:
                raise VocabularyUnusable(path, "there is none")
            if (why := self._model.why_it_cannot_chat) is not None:
                raise CannotChat(path, why)
            self._asked_cells = settings.n_ctx_cells
            self.settings = resolve(settings, self._circumstances())
            self._context = owned.enter_context(_make_context(self._model, self.settings, bool(self._gpu_names)))
            if self._context.memory is None:
                raise CannotChat(path, "it reads a text but cannot continue it")
            self._memory = self._context.memory
            self.n_batch_tokens = self._context.n_batch_tokens
            self._batch = owned.enter_context(Batch(self.n_batch_tokens))
            self.vocab = vocab
            self._sampler: SamplerChain | None = None
            self._owned = owned.pop_all()

    @property
    def device_names(self) -> tuple[str, ...]:
        """The devices that hold the model's layers."""
        layers_on_cpu = self.settings.n_gpu_layers
        is_split = not self._gpu_names or (layers_on_cpu is not None and layers_on_cpu <= self._model.shape.n_layer)
        return (*self._gpu_names, *(("CPU",) if is_split else ()))

    def facts(self, tokenizer: Tokenizer) -> EngineFacts:
        """What is true of the loaded model."""
        vocab, n_ctx_train = self.vocab, self._model.shape.n_ctx_train
        n_ctx_cells, n_ctx_seq_cells = self._context.n_ctx_cells, self._context.n_ctx_seq_cells
        measured = _measured(self._model, self._context, maps=self.settings.mmap)
        return EngineFacts(
            n_ctx_cells=n_ctx_cells,
            n_ctx_train=n_ctx_train,
            request_limit_tokens=request_limit(self._asked_cells, n_ctx_seq_cells, n_ctx_train),
            n_vocab=vocab.n_tokens,
            device_names=self.device_names,
            settings=replace(self.settings, n_ctx_cells=n_ctx_cells),
            control_texts=tokenizer.control_texts,
            bos_text="" if vocab.bos is None else vocab.text(vocab.bos),
            eos_text="" if vocab.eos is None else vocab.text(vocab.eos),
            adds_bos=vocab.adds_bos,
            model_size_bytes=self._model.size_bytes,
            memory_bytes=sum(need.needs.total for need in measured),
            measured=measured,
        )

    @property
    def n_positions(self) -> int:
        """How many cells are filled."""
        return self._memory.n_positions

    def cut(self, n_positions: int) -> bool:
        """Forget the cells from `n_positions` on, where the memory can."""
        return self._memory.cut(n_positions)

    def forget(self) -> None:
        """Forget every cell."""
        self._memory.clear()

    def decode(self, tokens: Sequence[int], first_position: int) -> StepEnd:
        """Compute `tokens` at consecutive positions. Raises EngineBroken and ModelFileChanged."""
        self._files.check()
        self._batch.fill(tokens, first_position)
        try:
            return STEP_ENDS[self._context.decode(self._batch)]
        except DecodeFailed as error:
            raise EngineBroken(error.reason) from error

    def begin_sampling(self, sampling: SamplingParams, prompt: Sequence[int]) -> None:
        """Sample by these parameters from now on."""
        self._end_sampling()
        self._sampler = SamplerChain(sampling, sampling.seed or 0, self.vocab.n_tokens)
        if self._sampler.remembers:
            for token in prompt[-sampling.repeat_last_n_tokens :]:
                self._sampler.accept(token)

    def sample(self) -> int:
        """Pick the next token."""
        if self._sampler is None:
            raise ValueError("begin_sampling comes first")
        token = self._sampler.sample(self._context)
        if not 0 <= token < self.vocab.n_tokens or isnan(self._context.logit(token)):
            raise NotNumbers
        return token

    def logits(self) -> list[float]:
        """The last step's logits, one a vocabulary entry."""
        return self._context.logits()

    def ends_generation(self, token: int) -> bool:
        """Whether `token` ends a reply."""
        return self.vocab.ends_generation(token)

    def piece(self, token: int) -> bytes:
        """The token's bytes of the reply."""
        return self.vocab.piece(token) or self._shown_piece(token)

    def abort(self) -> None:
        """Stop the running step and later ones."""
        self._context.abort_switch.set()

    def clear_abort(self) -> None:
        """Let steps run again."""
        self._context.abort_switch.clear()

    def close(self) -> None:
        """Free sampler, batch, context and model, in this order; idempotent."""
        self._end_sampling()
        self._owned.close()

    def _shown_piece(self, token: int) -> bytes:
        return self.vocab.piece(token, shows_special=True) if self.vocab.text(token) in SHOWN_TOKENS else b""

    def _end_sampling(self) -> None:
        sampler, self._sampler = self._sampler, None
        if sampler is not None:
            sampler.close()

    def _circumstances(self) -> Circumstances:
        shape, cpu = self._model.shape, detect_cpu()
        return Circumstances(
            n_ctx_train=shape.n_ctx_train,
            n_head=shape.n_head,
            default_threads=default_thread_count(cpu),
            max_threads=cpu.n_logical_cores,
            uses_gpu=bool(self._gpu_names),
        )


def _gpu_names(settings: LoadSettings) -> tuple[str, ...]:
    backend = Backend.start()
    if settings.n_gpu_layers is not None and settings.n_gpu_layers <= 0:
        return ()
    return tuple(device.description for device in backend.devices() if device.kind in GPU_KINDS)


def _open_model(path: Path, settings: LoadSettings, go_on: Callable[[float], bool]) -> Model:
    try:
        return Model.open(path, model_params_of(settings), go_on)
    except LoadRefused as error:
        raise error_from_refusal(path, error.reason) from error


def _make_context(model: Model, settings: LoadSettings, uses_gpu: bool) -> Context:
    try:
        return Context(model, context_params_of(settings, offloads=uses_gpu))
    except ContextRefused as error:
        raise ContextNotCreatable(error.reason) from error


def _measured(model: Model, context: Context, *, maps: bool) -> tuple[DeviceNeed, ...]:
    """What the two hold of each device, the host first; the output buffer is the host's."""
    use = read_memory_use(model, context)
    return tuple(
        DeviceNeed(
            device.device,
            Needs(
                weights=device.weights,
                kv=device.kv,
                recurrent=device.recurrent,
                compute=device.compute,
                output=use.output if device.device == HOST else 0,
            ),
            mapped=device.plain_weights if maps else 0,
        )
        for device in use.devices
    )
