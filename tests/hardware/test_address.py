"""One card has one address, however it is written."""

import pytest

from quern.hardware.address import pci_address


@pytest.mark.parametrize(
    "text", ["00000000:01:00.0", "0000:01:00.0", "01:00.0", "0000:01:00", "0000:01:00.0\x00\x00", " 0000:01:00.0 "]
)
def test_every_way_to_write_it_is_the_same(text: str) -> None:
    assert pci_address(text) == "0000:01:00.0"


def test_letters_are_small_and_the_domain_stays() -> None:
    assert pci_address("0000000F:C6:1F.7") == "000f:c6:1f.7"


@pytest.mark.parametrize("text", ["", "Apple M3", "GPU-8d1f", "0000:01:00.9", "MTL0"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert pci_address(text) is None
