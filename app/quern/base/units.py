"""Numbers as people read them: bytes, counts, durations."""

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_SHORT_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))


def format_bytes(n_bytes: int) -> str:
    """Return `n_bytes` in binary units with one decimal below 100: 1503238553 -> "1.4 GiB", 512 -> "512 B"."""
    value, unit = float(n_bytes), 0
    while abs(value) >= 999.5 and unit < len(_BINARY_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    digits = 1 if unit and abs(value) < 99.95 else 0
    return f"{value:.{digits}f} {_BINARY_UNITS[unit]}"


def format_count(n: int) -> str:
    """Return `n` with thousands separated: 41216 -> "41,216"."""
    return f"{n:,}"


def format_short_count(n: int) -> str:
    """Return `n` to about three figures with a letter: 134515008 -> "135M", 8030261248 -> "8.03B", 999 -> "999"."""
    for index, (size, letter) in enumerate(_SHORT_UNITS):
        figures = f"{n / size:.3g}"
        if float(figures) >= 1000 and index:
            larger_size, larger_letter = _SHORT_UNITS[index - 1]
            return f"{n / larger_size:.3g}{larger_letter}"
        if n >= size:
            return f"{float(figures):g}{letter}"
    return str(n)


def format_duration_s(seconds: float) -> str:
    """Return `seconds` in one or two units: 0.84 -> "0.8 s", 200 -> "3 min 20 s", 3900 -> "1 h 5 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
