"""The choices that decide memory, each with what it means now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quern.base.units import format_count
from quern.fit import FitReport
from quern.gui.theme import GRID
from quern.spec import LoadSettings

from .choice_field import ChoiceField
from .kv_choice import kv_choices, kv_key, kv_note, with_kv
from .number_field import NumberField
from .stops import CELL_STEP, REQUESTS, context_stops

if TYPE_CHECKING:
    from quern.runtime import FitLimits

WHOLE, WINDOW = "whole", "window"


class SettingsForm(QWidget):
    """Owns the controls; `changed` carries the whole LoadSettings after a person's choice.

    What is left open ("automatic") is shown as it would be resolved, and stays open until a person chooses.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits: FitLimits | None = None
        self._asked = self._resolved = LoadSettings()
        self.context = NumberField(
            self.tr("Context length"), self.tr("How many tokens of a chat the model can have before it."), CELL_STEP
        )
        self.requests = NumberField(
            self.tr("Parallel requests"), self.tr("How many chats or programs can be answered at the same time.")
        )
        self.kv_type = ChoiceField(
            self.tr("KV cache"), self.tr("In how many bits the model remembers the chat: fewer take less memory.")
        )
        self.gpu_layers = NumberField(
            self.tr("GPU layers"),
            self.tr("How many of the model's layers are computed on the GPU, the last ones first."),
        )
        self.cpu_experts = NumberField(
            self.tr("Experts on the CPU"),
            self.tr("In how many layers the experts stay in the machine's memory, which frees the GPU's."),
        )
        self.sliding_window = ChoiceField(
            self.tr("Sliding window"),
            self.tr("Whether layers that only look back a short way remember everything or just that."),
        )
        self._fields = (
            self.context,
            self.requests,
            self.kv_type,
            self.gpu_layers,
            self.cpu_experts,
            self.sliding_window,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        for field in self._fields:
            layout.addWidget(field)
        self._bind()

    def show_limits(self, limits: FitLimits) -> None:
        """Offer what there is to choose for one model on one machine."""
        self._limits = limits
        self.context.show_range(context_stops(limits.n_ctx_train))
        self.requests.show_range(REQUESTS)
        self.gpu_layers.show_range(range(limits.n_layer_all + 2))
        self.cpu_experts.show_range(range(limits.n_expert_layers + 1))
        self.gpu_layers.setVisible(bool(limits.gpus))
        self.cpu_experts.setVisible(bool(limits.gpus) and limits.n_expert_layers > 0)
        self.sliding_window.setVisible(limits.has_sliding_window)

    def show_settings(self, asked: LoadSettings, resolved: LoadSettings) -> None:
        """Show `asked`, with `resolved` for what it leaves open."""
        self._asked, self._resolved = asked, resolved
        self.context.show_value(resolved.n_ctx_cells or 0)
        self.requests.show_value(resolved.n_seq_max)
        self.kv_type.show_choices(kv_choices(resolved), kv_key(resolved))
        self.gpu_layers.show_value(self._n_gpu_layers())
        self.cpu_experts.show_value(resolved.n_cpu_moe_layers)
        choices = ((WHOLE, self.tr("Remember everything")), (WINDOW, self.tr("Remember the window")))
        self.sliding_window.show_choices(choices, WHOLE if resolved.swa_full else WINDOW)
        self._explain()

    def show_report(self, report: FitReport) -> None:
        """Mark the largest context that fits, 0 where none does."""
        self.context.slider.show_mark(report.largest_ctx_cells or 0)
        largest, most = report.largest_ctx_cells, self.context.slider.stops[-1]
        if largest is None:
            note = self.tr("No context fits with the other settings as they are.")
        elif largest >= most:
            note = self.tr("All {0} tokens that the model was trained for fit.").format(format_count(most))
        else:
            note = self.tr("{0} of the trained {1} fit, up to the mark.")
            note = note.format(format_count(largest), format_count(most))
        self.context.say(note)

    def _bind(self) -> None:
        self.context.changed.connect(self._change_context)
        self.requests.changed.connect(self._change_requests)
        self.kv_type.changed.connect(self._change_kv)
        self.gpu_layers.changed.connect(self._change_gpu_layers)
        self.cpu_experts.changed.connect(self._change_cpu_experts)
        self.sliding_window.changed.connect(self._change_window)

    def _change_context(self, n_ctx_cells: int) -> None:
        self._tell(lambda settings: replace(settings, n_ctx_cells=n_ctx_cells))

    def _change_requests(self, n_seq_max: int) -> None:
        self._tell(lambda settings: replace(settings, n_seq_max=n_seq_max))

    def _change_gpu_layers(self, n_gpu_layers: int) -> None:
        self._tell(lambda settings: replace(settings, n_gpu_layers=n_gpu_layers))

    def _change_cpu_experts(self, n_cpu_moe_layers: int) -> None:
        self._tell(lambda settings: replace(settings, n_cpu_moe_layers=n_cpu_moe_layers))

    def _change_window(self, key: str) -> None:
        self._tell(lambda settings: replace(settings, swa_full=key == WHOLE))

    def _change_kv(self, key: str) -> None:
        self._tell(lambda settings: with_kv(settings, key))

    def _tell(self, change: Callable[[LoadSettings], LoadSettings]) -> None:
        self._asked, self._resolved = change(self._asked), change(self._resolved)
        self._explain()
        self.changed.emit(self._asked)

    def _n_gpu_layers(self) -> int:
        n_layers = self._resolved.n_gpu_layers
        most = self.gpu_layers.slider.stops[-1]
        return most if n_layers is None else min(n_layers, most)

    def _explain(self) -> None:
        self.requests.say(self._requests_note())
        self.kv_type.say(kv_note(self._resolved))
        self.gpu_layers.say(self._layers_note())
        self.cpu_experts.say(self._experts_note())
        if self._resolved.swa_full:
            self.sliding_window.say(self.tr("Any earlier part of the chat can be taken up again at once."))
        else:
            self.sliding_window.say(
                self.tr("Less memory; an edited or regenerated message is read again from the start.")
            )

    def _requests_note(self) -> str:
        cells, count = self._resolved.n_ctx_cells or 0, max(1, self._resolved.n_seq_max)
        if count == 1:
            return self.tr("One at a time; others wait.")
        if self._resolved.kv_unified:
            return self.tr("They share the context of {0} tokens.").format(format_count(cells))
        each = -(-(cells // count) // CELL_STEP) * CELL_STEP
        return self.tr("Each has {0} tokens to itself.").format(format_count(each))

    def _layers_note(self) -> str:
        count, most = self._n_gpu_layers(), self.gpu_layers.slider.stops[-1]
        if count == 0:
            return self.tr("The whole model stays on the CPU.")
        if count >= most:
            return self.tr("All {0}: the whole model is on the GPU.").format(format_count(most))
        return self.tr("{0} of {1}; the others stay on the CPU.").format(format_count(count), format_count(most))

    def _experts_note(self) -> str:
        count, most = self._resolved.n_cpu_moe_layers, self.cpu_experts.slider.stops[-1]
        if count == 0:
            return self.tr("No experts are kept from the GPU.")
        return self.tr("Those of {0} of {1} layers.").format(format_count(count), format_count(most))
