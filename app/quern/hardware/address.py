"""PCI addresses in one spelling."""

import re

# NVML writes 00000000:01:00.0, the kernel 0000:01:00.0, CUDA either case; the function may be left out.
_PCI = re.compile(r"^(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.([0-7]))?$")


def pci_address(text: str) -> str | None:
    """Return "0000:01:00.0" for every way to write it, None for what is no PCI address."""
    found = _PCI.match(text.strip("\x00 ").lower())
    if found is None:
        return None
    domain, bus, device, function = found.groups()
    return pci_address_of(int(domain or "0", 16), int(bus, 16), int(device, 16), int(function or "0"))


def pci_address_of(domain: int, bus: int, device: int, function: int) -> str:
    """Return the numbers of a PCI address as text."""
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"
