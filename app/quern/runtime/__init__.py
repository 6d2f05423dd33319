"""The app without a face: which model is loaded, a chat turn, a session in the terminal, the doctor's report."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .app import App as App
    from .doctor.doctor import Surroundings as Surroundings
    from .doctor.doctor import examine as examine
    from .doctor.doctor import installed_versions as installed_versions
    from .doctor.doctor_json import report_json as report_json
    from .doctor.doctor_report import DoctorReport as DoctorReport
    from .doctor.doctor_report import TrialReport as TrialReport
    from .doctor.doctor_text import ReportSection as ReportSection
    from .doctor.doctor_text import sections_of as sections_of
    from .doctor.doctor_text import text_of as text_of
    from .doctor.doctor_text import why_safer as why_safer
    from .failure import OutOfDisk as OutOfDisk
    from .failure import OutOfMemory as OutOfMemory
    from .failure import Unexpected as Unexpected
    from .failure import as_quern_error as as_quern_error
    from .fit.companions import Companions as Companions
    from .fit.fit_memory import FitMemory as FitMemory
    from .fit.fit_session import FitLimits as FitLimits
    from .fit.fit_session import FitSession as FitSession
    from .fit.fit_text import Part as Part
    from .fit.fit_text import advice_sentence as advice_sentence
    from .fit.fit_text import part_name as part_name
    from .fit.fit_text import part_sentence as part_sentence
    from .fit.fit_text import parts_of as parts_of
    from .fit.fit_text import source_words as source_words
    from .fit.fit_text import verdict_sentence as verdict_sentence
    from .fit.fitting import Fitting as Fitting
    from .fit.measured_load import MeasuredLoad as MeasuredLoad
    from .load.gpu_demand import GpuRequired as GpuRequired
    from .load.gpu_demand import check_gpu_demand as check_gpu_demand
    from .load.gpu_demand import require_gpu as require_gpu
    from .load.load_plan import DoesNotFit as DoesNotFit
    from .load.load_plan import LoadPlan as LoadPlan
    from .load.load_plan import LoadTerms as LoadTerms
    from .load.load_plan import is_obvious as is_obvious
    from .load.load_plan import terms_of as terms_of
    from .load.planning import plan_load as plan_load
    from .load.proof import Attempt as Attempt
    from .load.proof import NoRungWorks as NoRungWorks
    from .load.proof import Outcome as Outcome
    from .load.proof import Proof as Proof
    from .load.residency import Residency as Residency
    from .load.residency import ResidencyChanged as ResidencyChanged
    from .load.residency import ResidencyPhase as ResidencyPhase
    from .load.residency import Resident as Resident
    from .load.rung import Rung as Rung
    from .load.rung import ladder as ladder
    from .load.trial import Trials as Trials
    from .schema import SCHEMAS as SCHEMAS
    from .session import ChatSession as ChatSession
    from .session import Reply as Reply
    from .session import ReplyStream as ReplyStream
    from .session import Room as Room
    from .session import open_session as open_session
    from .session import prove_entry as prove_entry
    from .session import required_text as required_text
    from .system import resident_bytes as resident_bytes
    from .turn.turn import ChatTurns as ChatTurns
    from .turn.turn import Turn as Turn
    from .turn.turn_error import MessageEmpty as MessageEmpty
    from .turn.turn_error import NotAPrompt as NotAPrompt
    from .turn.turn_error import TurnRunning as TurnRunning
    from .turn.turn_event import PromptAdvanced as PromptAdvanced
    from .turn.turn_event import ReplyGrew as ReplyGrew
    from .turn.turn_event import SaveFailed as SaveFailed
    from .turn.turn_event import SaveRecovered as SaveRecovered
    from .turn.turn_event import TurnEnded as TurnEnded
    from .turn.turn_event import TurnEvent as TurnEvent
    from .turn.turn_event import TurnFailed as TurnFailed
    from .turn.turn_event import TurnStarted as TurnStarted
    from .turn.turn_prompt import ChatEngine as ChatEngine
    from .turn.turn_prompt import ContextOverflow as ContextOverflow
    from .turn.turn_prompt import PreparedTurn as PreparedTurn
    from .turn.turn_prompt import count_tokens as count_tokens
    from .turn.turn_prompt import prepare_turn as prepare_turn

__all__ = [
    "SCHEMAS",
    "App",
    "Attempt",
    "ChatEngine",
    "ChatSession",
    "ChatTurns",
    "Companions",
    "ContextOverflow",
    "DoctorReport",
    "DoesNotFit",
    "FitLimits",
    "FitMemory",
    "FitSession",
    "Fitting",
    "GpuRequired",
    "LoadPlan",
    "LoadTerms",
    "MeasuredLoad",
    "MessageEmpty",
    "NoRungWorks",
    "NotAPrompt",
    "OutOfDisk",
    "OutOfMemory",
    "Outcome",
    "Part",
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
    "advice_sentence",
    "as_quern_error",
    "check_gpu_demand",
    "count_tokens",
    "examine",
    "installed_versions",
    "is_obvious",
    "ladder",
    "open_session",
    "part_name",
    "part_sentence",
    "parts_of",
    "plan_load",
    "prepare_turn",
    "prove_entry",
    "report_json",
    "require_gpu",
    "required_text",
    "resident_bytes",
    "sections_of",
    "source_words",
    "terms_of",
    "text_of",
    "verdict_sentence",
    "why_safer",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "App": "app",
        "Attempt": "load.proof",
        "ChatEngine": "turn.turn_prompt",
        "ChatSession": "session",
        "ChatTurns": "turn.turn",
        "Companions": "fit.companions",
        "ContextOverflow": "turn.turn_prompt",
        "DoctorReport": "doctor.doctor_report",
        "DoesNotFit": "load.load_plan",
        "FitLimits": "fit.fit_session",
        "FitMemory": "fit.fit_memory",
        "FitSession": "fit.fit_session",
        "Fitting": "fit.fitting",
        "GpuRequired": "load.gpu_demand",
        "LoadPlan": "load.load_plan",
        "LoadTerms": "load.load_plan",
        "MeasuredLoad": "fit.measured_load",
        "MessageEmpty": "turn.turn_error",
        "NoRungWorks": "load.proof",
        "NotAPrompt": "turn.turn_error",
        "OutOfDisk": "failure",
        "OutOfMemory": "failure",
        "Outcome": "load.proof",
        "Part": "fit.fit_text",
        "PreparedTurn": "turn.turn_prompt",
        "PromptAdvanced": "turn.turn_event",
        "Proof": "load.proof",
        "Reply": "session",
        "ReplyGrew": "turn.turn_event",
        "ReplyStream": "session",
        "ReportSection": "doctor.doctor_text",
        "Residency": "load.residency",
        "ResidencyChanged": "load.residency",
        "ResidencyPhase": "load.residency",
        "Resident": "load.residency",
        "Room": "session",
        "Rung": "load.rung",
        "SCHEMAS": "schema",
        "SaveFailed": "turn.turn_event",
        "SaveRecovered": "turn.turn_event",
        "Surroundings": "doctor.doctor",
        "TrialReport": "doctor.doctor_report",
        "Trials": "load.trial",
        "Turn": "turn.turn",
        "TurnEnded": "turn.turn_event",
        "TurnEvent": "turn.turn_event",
        "TurnFailed": "turn.turn_event",
        "TurnRunning": "turn.turn_error",
        "TurnStarted": "turn.turn_event",
        "Unexpected": "failure",
        "advice_sentence": "fit.fit_text",
        "as_quern_error": "failure",
        "check_gpu_demand": "load.gpu_demand",
        "count_tokens": "turn.turn_prompt",
        "examine": "doctor.doctor",
        "installed_versions": "doctor.doctor",
        "is_obvious": "load.load_plan",
        "ladder": "load.rung",
        "open_session": "session",
        "part_name": "fit.fit_text",
        "part_sentence": "fit.fit_text",
        "parts_of": "fit.fit_text",
        "plan_load": "load.planning",
        "prepare_turn": "turn.turn_prompt",
        "prove_entry": "session",
        "report_json": "doctor.doctor_json",
        "require_gpu": "load.gpu_demand",
        "required_text": "session",
        "resident_bytes": "system",
        "sections_of": "doctor.doctor_text",
        "source_words": "fit.fit_text",
        "terms_of": "load.load_plan",
        "text_of": "doctor.doctor_text",
        "verdict_sentence": "fit.fit_text",
        "why_safer": "doctor.doctor_text",
    },
)
