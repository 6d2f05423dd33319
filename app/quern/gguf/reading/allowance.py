"""What reading one header may cost, whatever it claims: memory, and strings walked over."""

MEMORY_BOUND_BYTES = 40 * 2**20  # reading any header takes no more at any moment; tests and the fuzz run measure it

_KEPT_BYTES = 24 * 2**20  # of these: Python objects of the header; a window and what is being read take the rest
_WALKED_STRINGS = 2**21  # three times the largest vocabulary with its merges; the costliest take less than a second
_TEXT_BYTES = 160  # a text object and its place in a dict or tuple; for a key, a number as its value too
_WIDEST_CHARACTER_BYTES = 4  # one character beyond the BMP makes Python keep four bytes for each
_ELEMENT_BYTES = 40  # a number object and its place in a tuple
_TENSOR_BYTES = 512  # a TensorInfo with its numbers, beside its name


class InvalidValue(Exception):
    """Something that no header holds; the message is a clause without a full stop."""


class Allowance:
    """Owns what may still be spent on one header. Prices are upper bounds of what CPython takes."""

    def __init__(self) -> None:
        self._bytes = _KEPT_BYTES
        self._strings = _WALKED_STRINGS

    def affords_texts(self, count: int, n_bytes: int) -> bool:
        """Pay for `count` texts of `n_bytes` together if there is enough; return whether there was."""
        return self._pay(count * _TEXT_BYTES + n_bytes * _WIDEST_CHARACTER_BYTES)

    def affords_numbers(self, count: int) -> bool:
        """Pay for a tuple of `count` numbers if there is enough; return whether there was."""
        return self._pay(count * _ELEMENT_BYTES)

    def require_name(self, n_bytes: int) -> None:
        """Pay for a name that cannot be left in the file. Raises InvalidValue when there is not enough."""
        self._require(_TEXT_BYTES + n_bytes * _WIDEST_CHARACTER_BYTES)

    def require_tensor(self) -> None:
        """Pay for a tensor's description. Raises InvalidValue when there is not enough."""
        self._require(_TENSOR_BYTES)

    def require_walk(self, count: int) -> None:
        """Pay for walking over `count` strings. Raises InvalidValue when those are too many."""
        if count > self._strings:
            raise InvalidValue(f"it claims a list of {count:,} texts")
        self._strings -= count

    def _require(self, price_bytes: int) -> None:
        if not self._pay(price_bytes):
            raise InvalidValue("its header holds more names than any model has")

    def _pay(self, price_bytes: int) -> bool:
        if price_bytes > self._bytes:
            return False
        self._bytes -= price_bytes
        return True
