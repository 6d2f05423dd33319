"""Reads GGUF headers from anything with `read_at`: metadata, tensors, types, shards, and what they say of a model."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .allowance import MEMORY_BOUND_BYTES as MEMORY_BOUND_BYTES
    from .check import check_complete as check_complete
    from .companion import AdapterFacts as AdapterFacts
    from .companion import BaseModel as BaseModel
    from .companion import ProjectorFacts as ProjectorFacts
    from .companion import adapter_facts as adapter_facts
    from .companion import base_models as base_models
    from .companion import projector_facts as projector_facts
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
    from .facts import ModelFacts as ModelFacts
    from .facts import SamplingDefaults as SamplingDefaults
    from .facts import facts_of as facts_of
    from .file_kind import FileKind as FileKind
    from .file_type import file_type_name as file_type_name
    from .ggml_type import GgmlType as GgmlType
    from .header import ArraySummary as ArraySummary
    from .header import Header as Header
    from .header import MetadataValue as MetadataValue
    from .header import TensorInfo as TensorInfo
    from .header import ValueType as ValueType
    from .identity import content_id as content_id
    from .inspection import inspect_file as inspect_file
    from .inspection import inspect_model as inspect_model
    from .model_header import ModelHeader as ModelHeader
    from .model_header import read_model_header as read_model_header
    from .model_header import read_model_header_from as read_model_header_from
    from .reader import read_header as read_header
    from .shard import ShardName as ShardName
    from .shard import find_shards as find_shards
    from .source import ByteSource as ByteSource
    from .source import BytesSource as BytesSource
    from .source import FileSource as FileSource
    from .system import FileStamp as FileStamp
    from .system import reason_of as reason_of

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
        "MEMORY_BOUND_BYTES": "allowance",
        "AdapterFacts": "companion",
        "ArraySummary": "header",
        "BadModelFile": "errors",
        "BaseModel": "companion",
        "ByteSource": "source",
        "BytesSource": "source",
        "FileKind": "file_kind",
        "FileSource": "source",
        "FileStamp": "system",
        "FileUnreadable": "errors",
        "GgmlType": "ggml_type",
        "GgufDamaged": "errors",
        "GgufTruncated": "errors",
        "GgufUnsupported": "errors",
        "Header": "header",
        "MetadataValue": "header",
        "ModelFacts": "facts",
        "ModelHeader": "model_header",
        "NotAModel": "errors",
        "NotFirstShard": "errors",
        "NotGguf": "errors",
        "ProjectorFacts": "companion",
        "SamplingDefaults": "facts",
        "ShardMissing": "errors",
        "ShardName": "shard",
        "ShardsDisagree": "errors",
        "TensorInfo": "header",
        "ValueType": "header",
        "adapter_facts": "companion",
        "base_models": "companion",
        "check_complete": "check",
        "content_id": "identity",
        "facts_of": "facts",
        "file_type_name": "file_type",
        "find_shards": "shard",
        "inspect_file": "inspection",
        "inspect_model": "inspection",
        "projector_facts": "companion",
        "read_header": "reader",
        "read_model_header": "model_header",
        "read_model_header_from": "model_header",
        "reason_of": "system",
    },
)
