"""The doctor's report in words, the same in the terminal and in the window, without personal data."""

from dataclasses import dataclass

from quern.base import QuernError, format_bytes
from quern.hardware import DeviceKind, EngineDevice, EngineInfo, Gap, backend_facts
from quern.runtime.load.proof import Attempt, Outcome, Proof
from quern.runtime.load.rung import Rung
from quern.runtime.privacy import impersonal

from .doctor_report import DoctorReport, TrialReport
from .machine_text import gpu_lines, machine_lines

RUNG_WORDS = {
    Rung.EVERYTHING: "every kernel",
    Rung.NO_EXTRA_BUFFERS: "without the fastest CPU kernels",
}
OUTCOME_WORDS = {
    Outcome.PASSED: "works",
    Outcome.CRASHED: "crashed",
    Outcome.KILLED: "was ended by the system",
    Outcome.ABORTED: "stopped on a failed check",
    Outcome.HUNG: "gave no answer in time",
    Outcome.NOT_NUMBERS: "computed values that are no numbers",
}


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A heading and its lines, each a label and what was found."""

    title: str
    lines: tuple[tuple[str, str], ...]


def sections_of(report: DoctorReport) -> tuple[ReportSection, ...]:
    """Return what was found as sections, machine first; `report.gaps` are told beside them."""
    return (
        ReportSection("Machine", machine_lines(report)),
        *(ReportSection(gpu.name, gpu_lines(gpu, report.engine)) for gpu in report.machine.gpus),
        ReportSection("Engine", _engine(report.engine)),
        ReportSection("Trial", _trial(report.trial)),
        ReportSection("Quern", _quern(report)),
    )


def text_of(report: DoctorReport) -> str:
    """Return the whole report as plain text to paste into a bug report."""
    gaps = tuple(line for gap in report.gaps for line in _gap(gap))
    sections = (*sections_of(report), *((ReportSection("Not used", gaps),) if gaps else ()))
    return "\n\n".join(
        "\n".join([section.title, *(f"  {label}: {found}" for label, found in section.lines)]) for section in sections
    )


def _gap(gap: Gap) -> tuple[tuple[str, str], ...]:
    lines = (("What", gap.sentence), ("Next", gap.advice))
    return lines if gap.command is None else (*lines, ("Command", gap.command))


def _engine(engine: EngineInfo | QuernError) -> tuple[tuple[str, str], ...]:
    if isinstance(engine, QuernError):
        return (("Problem", impersonal(engine.what)),)
    devices = tuple(("Device", _device(device)) for device in engine.devices)
    complaint = (("Complaint", impersonal(engine.complaint)),) if engine.complaint else ()
    return (
        ("llama.cpp", f"llama-cpp-python {engine.version}, build {engine.build}"),
        ("Backends", ", ".join(engine.backends) or "none"),
        *(devices or (("Device", "none"),)),
        ("Built for", _built_for(engine.system_info)),
        *complaint,
    )


def _device(device: EngineDevice) -> str:
    """Return a device and its memory; what llama.cpp calls free of the CPU's is all of it."""
    free = "" if device.kind is DeviceKind.CPU else f", {format_bytes(device.free)} free"
    return f"{device.name}: {device.description}, {format_bytes(device.total)}{free}"


def _built_for(system_info: str) -> str:
    """Return llama.cpp's "CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890" as "CPU: AVX, FMA; CUDA: ARCHS=890"."""
    backends = (
        f"{backend}: {', '.join(name if value in ('', '1') else f'{name}={value}' for name, value in facts.items())}"
        for backend, facts in backend_facts(system_info).items()
    )
    return "; ".join(backends) or "none"


def _trial(trial: TrialReport | None) -> tuple[tuple[str, str], ...]:
    if trial is None:
        return (("Result", "There is no model to try. Add a .gguf file, or install Quern with its starter model."),)
    if trial.problem is not None:
        return (("Model", trial.entry.name), ("Problem", impersonal(str(trial.problem))))
    assert trial.proof is not None  # a trial ends with a proof or a problem
    attempts = tuple(("Tried", attempt_text(attempt)) for attempt in trial.proof.attempts)
    when = " (remembered)" if trial.proof.remembered else ""
    return (("Model", trial.entry.name), *attempts, ("Result", f"works{when}: {_how(trial.proof)}"))


def why_safer(proof: Proof) -> str:
    """Return why the model does not run with everything, as a clause; empty where it does, or where nobody tried."""
    failed = next((attempt for attempt in proof.attempts if attempt.outcome is not Outcome.PASSED), None)
    if failed is None or proof.rung is Rung.EVERYTHING:
        return ""
    return f"the fastest CPU kernels (AMX and the like) {OUTCOME_WORDS[failed.outcome]} in the trial"


def _how(proof: Proof) -> str:
    if proof.rung is Rung.EVERYTHING:
        return "with every kernel"
    if why := why_safer(proof):
        return f"{why}, so Quern runs without them"
    return "without the fastest CPU kernels (AMX and the like), as the settings ask"


def attempt_text(attempt: Attempt) -> str:
    """Return how one attempt went, such as "every kernel: crashed (SIGSEGV)"."""
    detail = f" ({attempt.last_words})" if attempt.last_words else ""
    return f"{RUNG_WORDS[attempt.rung]}: {OUTCOME_WORDS[attempt.outcome]}{impersonal(detail)}"


def _quern(report: DoctorReport) -> tuple[tuple[str, str], ...]:
    return (
        *report.versions.items(),
        ("Data folder", impersonal(str(report.home.root))),
        ("Network", "offline: only this computer can be reached" if report.is_offline else "allowed"),
    )
