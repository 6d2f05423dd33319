"""Line icons from `resources/icons`, drawn in a colour of the palette."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from quern.base import resource

from .metrics import ICON

COLOR_SLOT = "currentColor"


def icon_pixmap(name: str, color: str, size: int = ICON, ratio: float | None = None) -> QPixmap:
    """Return `icons/<name>.svg` in `color`, `size` device-independent pixels wide, sharp at the device `ratio`.

    `ratio` None takes the primary screen's. Raises ResourceMissing for an unknown name.
    """
    screen = QGuiApplication.primaryScreen()
    return _render(name, color, size, ratio or screen.devicePixelRatio())


def icon(name: str, color: str, *, disabled: str = "", size: int = ICON) -> QIcon:
    """Return the icon in `color`, and in `disabled` where its control is disabled."""
    result = QIcon(icon_pixmap(name, color, size))
    if disabled:
        result.addPixmap(icon_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=256)
def _render(name: str, color: str, size: int, ratio: float) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_source(name).replace(COLOR_SLOT, color).encode()))
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


@lru_cache(maxsize=64)
def _source(name: str) -> str:
    return resource(f"icons/{name}.svg").read_text("utf-8")
