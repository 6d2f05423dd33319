"""The style sheet: only what the palette cannot say. Controls opt in by the dynamic property `look`."""

from .colors import Colors

TEMPLATE = """
QMainWindow, QDialog {{ background: {window}; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {hairline}; padding: 4px 6px; }}

QPushButton {{
    background: {raised}; color: {text}; border: 1px solid {hairline}; border-radius: 8px;
    padding: 6px 14px; min-height: 20px;
}}
QPushButton:hover {{ background: {sunken}; }}
QPushButton:pressed {{ background: {hairline}; }}
QPushButton:disabled {{ color: {outline}; background: {window}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 5px 13px; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QPushButton[look="primary"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; font-weight: 600; }}
QPushButton[look="primary"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[look="primary"]:disabled {{ background: {sunken}; color: {outline}; border-color: {sunken}; }}
QPushButton[look="primary"]:focus {{ border: 2px solid {text}; }}
QPushButton[look="plain"] {{ background: transparent; border-color: transparent; color: {accent}; padding: 4px 8px; }}
QPushButton[look="plain"]:disabled {{ color: {outline}; }}
QPushButton[look="plain"]:hover {{ background: {accent_tint}; }}
QPushButton[look="plain"]:focus {{ border: 2px solid {accent}; padding: 3px 7px; }}
QPushButton[look="link"] {{
    background: transparent; border-color: transparent; color: {accent}; padding: 2px 0; text-decoration: underline;
}}
QPushButton[look="link"]:hover {{ color: {accent_hover}; background: transparent; }}
QPushButton[look="link"]:focus {{ border: 2px solid {accent}; padding: 1px 0; }}
QPushButton[look="fold"] {{
    background: transparent; border-color: transparent; text-align: left; font-weight: 600; padding: 4px 0;
}}
QPushButton[look="fold"]:hover {{ background: {sunken}; }}
QPushButton[look="fold"]:focus {{ border: 2px solid {accent}; padding: 3px 0; }}
QPushButton[look="picker"] {{
    background: transparent; border-color: transparent; text-align: left; font-weight: 600; padding: 6px 10px;
}}
QPushButton[look="picker"]:hover {{ background: {sunken}; }}
QPushButton[look="picker"]:focus {{ border: 2px solid {accent}; padding: 5px 9px; }}

QToolButton {{
    background: transparent; border: 1px solid transparent; border-radius: 8px; padding: 5px; color: {text};
}}
QToolButton:hover {{ background: {sunken}; }}
QToolButton:pressed, QToolButton:checked {{ background: {accent_tint}; }}
QToolButton:focus {{ border: 2px solid {accent}; padding: 4px; }}
QToolButton[look="rail"] {{ padding: 7px 2px; color: {muted}; }}
QToolButton[look="rail"]:checked {{ color: {accent}; background: {accent_tint}; font-weight: 600; }}
QToolButton[look="rail"]:focus {{ padding: 6px 1px; }}
QToolButton[look="send"] {{ background: {accent}; border-radius: 10px; }}
QToolButton[look="send"]:hover {{ background: {accent_hover}; }}
QToolButton[look="send"]:disabled {{ background: {sunken}; }}
QToolButton[look="send"]:focus {{ border: 2px solid {text}; }}

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
    background: {surface}; color: {text}; border: 1px solid {hairline}; border-radius: 8px;
    padding: 5px 8px; min-height: 20px; selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QComboBox:hover {{ border-color: {outline}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{
    border: 2px solid {accent}; padding: 4px 7px;
}}
QLineEdit[look="search"] {{ background: {sunken}; border-color: transparent; }}
QLineEdit[look="search"]:focus {{ background: {surface}; border-color: {accent}; }}
QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: none; }}
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0; border: none; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox QAbstractItemView {{
    background: {raised}; border: 1px solid {hairline}; padding: 4px; outline: none;
    selection-background-color: {accent_tint}; selection-color: {text};
}}
QPlainTextEdit, QTextEdit {{
    background: {surface}; color: {text}; border: 1px solid {hairline}; border-radius: 8px; padding: 4px;
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 2px solid {accent}; padding: 3px; }}
QPlainTextEdit[look="bare"], QTextBrowser, QTextBrowser:focus, QTextEdit[look="bare"] {{
    background: transparent; border: none; padding: 0;
}}

QFrame[look="composer"] {{ background: {raised}; border: 1px solid {hairline}; border-radius: 14px; }}
QFrame[look="composer"][focused="true"] {{ border: 2px solid {accent}; }}
QFrame[look="card"] {{ background: {surface}; border: 1px solid {hairline}; border-radius: 12px; }}
QFrame[look="toast"] {{ background: {text}; border: none; border-radius: 10px; }}
QFrame[look="toast"] QLabel {{ color: {window}; }}
QFrame[look="toast"] QPushButton {{
    background: transparent; border-color: transparent; color: {window}; font-weight: 600;
    text-decoration: underline; padding: 4px 8px;
}}
QFrame[look="toast"] QPushButton:focus {{ border: 2px solid {window}; padding: 3px 7px; }}
QFrame[look="banner-error"] {{ background: {danger_tint}; border: none; border-radius: 10px; }}
QFrame[look="banner-warning"] {{ background: {warning_tint}; border: none; border-radius: 10px; }}
QFrame[look="banner-info"] {{ background: {accent_tint}; border: none; border-radius: 10px; }}
QWidget[look="surface"] {{ background: {surface}; }}
QWidget[look="side"] {{ background: {window}; }}
QFrame[look="line"] {{ background: {hairline}; border: none; max-height: 1px; min-height: 1px; }}
QFrame[look="column-line"] {{ background: {hairline}; border: none; max-width: 1px; min-width: 1px; }}

QLabel {{ background: transparent; }}
QLabel[look="title"] {{ font-size: {title}pt; font-weight: 600; }}
QLabel[look="heading"] {{ font-size: {heading}pt; font-weight: 600; }}
QLabel[look="section"] {{ font-weight: 600; }}
QLabel[look="muted"] {{ color: {muted}; }}
QLabel[look="small"] {{ color: {muted}; font-size: {small}pt; }}
QLabel[look="small-danger"] {{ color: {danger}; font-size: {small}pt; font-weight: 600; }}
QLabel[look="danger"] {{ color: {danger}; }}

QAbstractItemView {{ background: transparent; border: none; outline: none;
    selection-background-color: {accent_tint}; selection-color: {text}; }}
QTableView {{ background: {surface}; gridline-color: transparent; }}
QTableView::item {{ padding: 6px 10px; border-bottom: 1px solid {hairline}; }}
QTableView::item:selected {{ background: {accent_tint}; color: {text}; }}
QHeaderView {{ background: {surface}; }}
QHeaderView::section {{ background: {surface}; color: {muted}; border: none; border-bottom: 1px solid {hairline};
    padding: 8px 10px; font-size: {small}pt; font-weight: 600; }}

QMenu {{ background: {raised}; border: 1px solid {hairline}; border-radius: 8px; padding: 6px; }}
QMenu::item {{ padding: 7px 28px 7px 12px; border-radius: 6px; }}
QMenu::item:selected {{ background: {accent_tint}; color: {text}; }}
QMenu::item:disabled {{ color: {outline}; }}
QMenu::separator {{ height: 1px; background: {hairline}; margin: 6px 4px; }}
QMenu::icon {{ padding-left: 8px; }}

QProgressBar {{ background: {sunken}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QScrollArea {{ background: transparent; border: none; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {hairline}; border-radius: 4px; margin: 1px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {outline}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: {hairline}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
"""


def stylesheet(colors: Colors, text_points: float) -> str:
    """Return the sheet in `colors` for a body text of `text_points` points."""
    names = {name: getattr(colors, name) for name in Colors.__slots__}
    sizes = {"title": text_points * 1.6, "heading": text_points * 1.2, "small": text_points * 0.9}
    return TEMPLATE.format(**names, **{name: f"{points:.1f}" for name, points in sizes.items()})
