"""Reads GGUF headers from anything with `read_at`: metadata, tensors, types, shards, and what they say of a model."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .errors import BadModelFile as BadModelFile
    from .errors import FileUnreadable as FileUnreadable
    from .errors import GgufDamaged as GgufDamaged
    from .errors import GgufTruncated as GgufTruncated
    from .errors import GgufUnsupported as GgufUnsupported
    from .errors import NotAModel as NotAModel
    from .errors import NotFirstShard as NotFirstShard
    from .errors import NotGguf as NotGguf
    from .errors import ShardMissing as ShardMissing
    from .errors import ShardsDisagree as ShardsDisagree
    from .fact.companion import AdapterFacts as AdapterFacts
    from .fact.companion import BaseModel as BaseModel
    from .fact.companion import ProjectorFacts as ProjectorFacts
    from .fact.companion import adapter_facts as adapter_facts
    from .fact.companion import base_models as base_models
    from .fact.companion import projector_facts as projector_facts
    from .fact.facts import ModelFacts as ModelFacts
    from .fact.facts import SamplingDefaults as SamplingDefaults
    from .fact.facts import facts_of as facts_of
    from .fact.file_kind import FileKind as FileKind
    from .fact.file_type import file_type_name as file_type_name
    from .file.check import check_complete as check_complete
    from .file.identity import content_id as content_id
    from .file.inspection import inspect_file as inspect_file
    from .file.inspection import inspect_model as inspect_model
    from .file.shard import ShardName as ShardName
    from .file.shard import find_shards as find_shards
    from .file.source import ByteSource as ByteSource
    from .file.source import BytesSource as BytesSource
    from .file.source import FileSource as FileSource
    from .file.system import FileStamp as FileStamp
    from .file.system import reason_of as reason_of
    from .reading.allowance import MEMORY_BOUND_BYTES as MEMORY_BOUND_BYTES
    from .reading.ggml_type import GgmlType as GgmlType
    from .reading.header import ArraySummary as ArraySummary
    from .reading.header import Header as Header
    from .reading.header import MetadataValue as MetadataValue
    from .reading.header import TensorInfo as TensorInfo
    from .reading.header import ValueType as ValueType
    from .reading.model_header import ModelHeader as ModelHeader
    from .reading.model_header import read_model_header as read_model_header
    from .reading.model_header import read_model_header_from as read_model_header_from
    from .reading.reader import read_header as read_header

__all__ = [
    "MEMORY_BOUND_BYTES",
    "AdapterFacts",
    "ArraySummary",
    "BadModelFile",
    "BaseModel",
    "ByteSource",
    "BytesSource",
    "FileKind",
    "FileSource",
    "FileStamp",
    "FileUnreadable",
    "GgmlType",
    "GgufDamaged",
    "GgufTruncated",
    "GgufUnsupported",
    "Header",
    "MetadataValue",
    "ModelFacts",
    "ModelHeader",
    "NotAModel",
    "NotFirstShard",
    "NotGguf",
    "ProjectorFacts",
    "SamplingDefaults",
    "ShardMissing",
    "ShardName",
    "ShardsDisagree",
    "TensorInfo",
    "ValueType",
    "adapter_facts",
    "base_models",
    "check_complete",
    "content_id",
    "facts_of",
    "file_type_name",
    "find_shards",
    "inspect_file",
    "inspect_model",
    "projector_facts",
    "read_header",
    "read_model_header",
    "read_model_header_from",
    "reason_of",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "MEMORY_BOUND_BYTES": "reading.allowance",
        "AdapterFacts": "fact.companion",
        "ArraySummary": "reading.header",
        "BadModelFile": "errors",
        "BaseModel": "fact.companion",
        "ByteSource": "file.source",
        "BytesSource": "file.source",
        "FileKind": "fact.file_kind",
        "FileSource": "file.source",
        "FileStamp": "file.system",
        "FileUnreadable": "errors",
        "GgmlType": "reading.ggml_type",
        "GgufDamaged": "errors",
        "GgufTruncated": "errors",
        "GgufUnsupported": "errors",
        "Header": "reading.header",
        "MetadataValue": "reading.header",
        "ModelFacts": "fact.facts",
        "ModelHeader": "reading.model_header",
        "NotAModel": "errors",
        "NotFirstShard": "errors",
        "NotGguf": "errors",
        "ProjectorFacts": "fact.companion",
        "SamplingDefaults": "fact.facts",
        "ShardMissing": "errors",
        "ShardName": "file.shard",
        "ShardsDisagree": "errors",
        "TensorInfo": "reading.header",
        "ValueType": "reading.header",
        "adapter_facts": "fact.companion",
        "base_models": "fact.companion",
        "check_complete": "file.check",
        "content_id": "file.identity",
        "facts_of": "fact.facts",
        "file_type_name": "fact.file_type",
        "find_shards": "file.shard",
        "inspect_file": "file.inspection",
        "inspect_model": "file.inspection",
        "projector_facts": "fact.companion",
        "read_header": "reading.reader",
        "read_model_header": "reading.model_header",
        "read_model_header_from": "reading.model_header",
        "reason_of": "file.system",
    },
)
