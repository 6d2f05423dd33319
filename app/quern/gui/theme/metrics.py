"""Distances: everything sits on a grid of 8 device-independent pixels."""

GRID = 8
MARGIN = 2 * GRID
ICON = 20
ICON_SMALL = 16
RADIUS = 8
# The line height (in pixels) that the widths of panels are made for; larger text makes them wider.
LINE_HEIGHT = 19
RAIL_WIDTH = 72
SIDE_PANEL_WIDTH = 264
OPTIONS_PANEL_WIDTH = 304
DETAIL_WIDTH = 368
COLUMN_WIDTH = 760


def scaled(width: int, line_height: int) -> int:
    """Return `width` for text whose lines are `line_height` high; never narrower than `width`."""
    return max(width, round(width * line_height / LINE_HEIGHT))
