"""Binds the options panel to the shown chat."""

from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.options_panel import OptionsPanel

from .shown import figure_facts


def bind_options(panel: OptionsPanel, desk: Desk) -> None:
    """Show the shown chat's options and figures in `panel`, and change them there."""
    options, chat = desk.options, desk.chat

    def show_options() -> None:
        panel.show_system_prompt(options.system_prompt)
        panel.show_sampling(options.sampling, is_own=options.own_sampling is not None)

    def show_figures() -> None:
        reply = chat.last_reply
        panel.show_figures(figure_facts(None if reply is None else reply.figures))

    chat.left.connect(panel.settle)
    options.changed.connect(show_options)
    chat.opened.connect(show_options)
    chat.opened.connect(show_figures)
    chat.replaced.connect(show_figures)
    panel.system_prompt_changed.connect(options.set_system_prompt)
    panel.sampling_changed.connect(options.set_sampling)
    panel.sampling_reset.connect(lambda: options.set_sampling(None))
    show_options()
    show_figures()
