"""The app without a face: which model is loaded, a chat turn, a session in the terminal, the doctor's report."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .app import App as App
    from .doctor import Surroundings as Surroundings
    from .doctor import examine as examine
    from .doctor import installed_versions as installed_versions
    from .doctor_report import DeviceReport as DeviceReport
    from .doctor_report import DoctorReport as DoctorReport
    from .doctor_report import EngineReport as EngineReport
    from .doctor_report import TrialReport as TrialReport
    from .doctor_text import ReportSection as ReportSection
    from .doctor_text import sections_of as sections_of
    from .doctor_text import text_of as text_of
    from .doctor_text import why_safer as why_safer
    from .failure import OutOfDisk as OutOfDisk
    from .failure import OutOfMemory as OutOfMemory
    from .failure import Unexpected as Unexpected
    from .failure import as_quern_error as as_quern_error
    from .proof import Attempt as Attempt
    from .proof import NoRungWorks as NoRungWorks
    from .proof import Outcome as Outcome
    from .proof import Proof as Proof
    from .residency import Residency as Residency
    from .residency import ResidencyChanged as ResidencyChanged
    from .residency import ResidencyPhase as ResidencyPhase
    from .residency import Resident as Resident
    from .rung import Rung as Rung
    from .rung import ladder as ladder
    from .schema import SCHEMAS as SCHEMAS
    from .session import ChatSession as ChatSession
    from .session import Reply as Reply
    from .session import ReplyStream as ReplyStream
    from .session import Room as Room
    from .session import open_session as open_session
    from .session import prove_entry as prove_entry
    from .session import required_text as required_text
    from .trial import Trials as Trials
    from .turn import ChatTurns as ChatTurns
    from .turn import Turn as Turn
    from .turn_error import MessageEmpty as MessageEmpty
    from .turn_error import NotAPrompt as NotAPrompt
    from .turn_error import TurnRunning as TurnRunning
    from .turn_event import PromptAdvanced as PromptAdvanced
    from .turn_event import ReplyGrew as ReplyGrew
    from .turn_event import SaveFailed as SaveFailed
    from .turn_event import SaveRecovered as SaveRecovered
    from .turn_event import TurnEnded as TurnEnded
    from .turn_event import TurnEvent as TurnEvent
    from .turn_event import TurnFailed as TurnFailed
    from .turn_event import TurnStarted as TurnStarted
    from .turn_prompt import ChatEngine as ChatEngine
    from .turn_prompt import ContextOverflow as ContextOverflow
    from .turn_prompt import PreparedTurn as PreparedTurn
    from .turn_prompt import count_tokens as count_tokens
    from .turn_prompt import prepare_turn as prepare_turn

__all__ = [
    "SCHEMAS",
    "App",
    "Attempt",
    "ChatEngine",
    "ChatSession",
    "ChatTurns",
    "ContextOverflow",
    "DeviceReport",
    "DoctorReport",
    "EngineReport",
    "MessageEmpty",
    "NoRungWorks",
    "NotAPrompt",
    "OutOfDisk",
    "OutOfMemory",
    "Outcome",
    "PreparedTurn",
    "PromptAdvanced",
    "Proof",
    "Reply",
    "ReplyGrew",
    "ReplyStream",
    "ReportSection",
    "Residency",
    "ResidencyChanged",
    "ResidencyPhase",
    "Resident",
    "Room",
    "Rung",
    "SaveFailed",
    "SaveRecovered",
    "Surroundings",
    "TrialReport",
    "Trials",
    "Turn",
    "TurnEnded",
    "TurnEvent",
    "TurnFailed",
    "TurnRunning",
    "TurnStarted",
    "Unexpected",
    "as_quern_error",
    "count_tokens",
    "examine",
    "installed_versions",
    "ladder",
    "open_session",
    "prepare_turn",
    "prove_entry",
    "required_text",
    "sections_of",
    "text_of",
    "why_safer",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "App": "app",
        "Attempt": "proof",
        "ChatEngine": "turn_prompt",
        "ChatSession": "session",
        "ChatTurns": "turn",
        "ContextOverflow": "turn_prompt",
        "DeviceReport": "doctor_report",
        "DoctorReport": "doctor_report",
        "EngineReport": "doctor_report",
        "MessageEmpty": "turn_error",
        "NoRungWorks": "proof",
        "NotAPrompt": "turn_error",
        "OutOfDisk": "failure",
        "OutOfMemory": "failure",
        "Outcome": "proof",
        "PreparedTurn": "turn_prompt",
        "PromptAdvanced": "turn_event",
        "Proof": "proof",
        "Reply": "session",
        "ReplyGrew": "turn_event",
        "ReplyStream": "session",
        "ReportSection": "doctor_text",
        "Residency": "residency",
        "ResidencyChanged": "residency",
        "ResidencyPhase": "residency",
        "Resident": "residency",
        "Room": "session",
        "Rung": "rung",
        "SCHEMAS": "schema",
        "SaveFailed": "turn_event",
        "SaveRecovered": "turn_event",
        "Surroundings": "doctor",
        "TrialReport": "doctor_report",
        "Trials": "trial",
        "Turn": "turn",
        "TurnEnded": "turn_event",
        "TurnEvent": "turn_event",
        "TurnFailed": "turn_event",
        "TurnRunning": "turn_error",
        "TurnStarted": "turn_event",
        "Unexpected": "failure",
        "as_quern_error": "failure",
        "count_tokens": "turn_prompt",
        "examine": "doctor",
        "installed_versions": "doctor",
        "ladder": "rung",
        "open_session": "session",
        "prepare_turn": "turn_prompt",
        "prove_entry": "session",
        "required_text": "session",
        "sections_of": "doctor_text",
        "text_of": "doctor_text",
        "why_safer": "doctor_text",
    },
)
