"""What a GGUF file is for."""

from enum import StrEnum


class FileKind(StrEnum):
    """The use of a GGUF file; only MODEL can be opened and chatted with."""

    MODEL = "model"
    PROJECTOR = "projector"
    ADAPTER = "adapter"
    VOCABULARY = "vocabulary"
    IMATRIX = "imatrix"
