"""The types of the KV cache in words: how small, and what that costs."""

from dataclasses import replace

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from quern.spec import KvType, LoadSettings

OFFERED = (KvType.F16, KvType.Q8_0, KvType.Q5_1, KvType.Q4_0)
_NAMES = {
    KvType.F32: QT_TRANSLATE_NOOP("KvChoice", "f32: twice the size"),
    KvType.F16: QT_TRANSLATE_NOOP("KvChoice", "f16: full quality"),
    KvType.BF16: QT_TRANSLATE_NOOP("KvChoice", "bf16: full quality"),
    KvType.Q8_0: QT_TRANSLATE_NOOP("KvChoice", "q8_0: about half"),
    KvType.Q5_1: QT_TRANSLATE_NOOP("KvChoice", "q5_1: about a third"),
    KvType.Q5_0: QT_TRANSLATE_NOOP("KvChoice", "q5_0: about a third"),
    KvType.Q4_1: QT_TRANSLATE_NOOP("KvChoice", "q4_1: under a third"),
    KvType.Q4_0: QT_TRANSLATE_NOOP("KvChoice", "q4_0: about a quarter"),
    KvType.IQ4_NL: QT_TRANSLATE_NOOP("KvChoice", "iq4_nl: about a quarter"),
}
_NOTES = {
    KvType.F32: QT_TRANSLATE_NOOP("KvChoice", "32 bits each; no better than 16 in practice."),
    KvType.F16: QT_TRANSLATE_NOOP("KvChoice", "16 bits each; the model remembers exactly."),
    KvType.BF16: QT_TRANSLATE_NOOP("KvChoice", "16 bits each; the model remembers exactly."),
    KvType.Q8_0: QT_TRANSLATE_NOOP("KvChoice", "8 bits each; the loss is hardly ever noticed."),
    KvType.Q5_1: QT_TRANSLATE_NOOP("KvChoice", "5 bits each; small losses in long chats."),
    KvType.Q5_0: QT_TRANSLATE_NOOP("KvChoice", "5 bits each; small losses in long chats."),
    KvType.Q4_1: QT_TRANSLATE_NOOP("KvChoice", "4 bits each; details far back in a chat may blur."),
    KvType.Q4_0: QT_TRANSLATE_NOOP("KvChoice", "4 bits each; details far back in a chat may blur."),
    KvType.IQ4_NL: QT_TRANSLATE_NOOP("KvChoice", "4 bits each; details far back in a chat may blur."),
}
MIXED = "mixed"


def kv_key(settings: LoadSettings) -> str:
    """Return the key of the choice that `settings` hold."""
    return settings.type_k.value if settings.type_k is settings.type_v else MIXED


def kv_choices(settings: LoadSettings) -> tuple[tuple[str, str], ...]:
    """Return what is on offer as (key, name); a type that is set and not among them comes first."""
    offered = [(kind.value, _translated(_NAMES[kind])) for kind in OFFERED]
    key = kv_key(settings)
    if key == MIXED:
        offered.insert(0, (MIXED, _translated("K {0}, V {1}").format(settings.type_k, settings.type_v)))
    elif KvType(key) not in OFFERED:
        offered.insert(0, (key, _translated(_NAMES[KvType(key)])))
    return tuple(offered)


def kv_note(settings: LoadSettings) -> str:
    """Return what the choice costs in quality."""
    if kv_key(settings) == MIXED:
        return _translated("Keys and values are kept in different types, as it is set in the settings.")
    return _translated(_NOTES[settings.type_k])


def with_kv(settings: LoadSettings, key: str) -> LoadSettings:
    """Return `settings` with the choice `key`."""
    return settings if key == MIXED else replace(settings, type_k=KvType(key), type_v=KvType(key))


def _translated(text: object) -> str:
    return QCoreApplication.translate("KvChoice", str(text))
