"""The doctor's report in words, the same in the terminal and in the window, without personal data."""

from dataclasses import dataclass

from quern.base import QuernError, format_bytes
from quern.hardware import default_thread_count

from .doctor_report import DoctorReport, EngineReport, TrialReport
from .privacy import impersonal
from .proof import Attempt, Outcome, Proof
from .rung import Rung

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
    """Return the report as sections, machine first."""
    return (
        ReportSection("Machine", _machine(report)),
        ReportSection("Engine", _engine(report.engine)),
        ReportSection("Trial", _trial(report.trial)),
        ReportSection("Quern", _quern(report)),
    )


def text_of(report: DoctorReport) -> str:
    """Return the report as plain text to paste into a bug report."""
    return "\n\n".join(
        "\n".join([section.title, *(f"  {label}: {found}" for label, found in section.lines)])
        for section in sections_of(report)
    )


def _machine(report: DoctorReport) -> tuple[tuple[str, str], ...]:
    cpu, memory = report.machine.cpu, report.machine.memory
    cores = (
        f"{cpu.n_physical_cores} physical, {cpu.n_logical_cores} logical; {default_thread_count(cpu)} threads compute"
    )
    return (
        ("System", report.platform),
        ("CPU", f"{cpu.brand} ({cpu.architecture})"),
        ("Cores", cores),
        ("CPU features", ", ".join(cpu.features) or "none that the engine uses"),
        ("Memory", f"{format_bytes(memory.total_bytes)}, {format_bytes(memory.available_bytes)} free"),
    )


def _engine(engine: EngineReport | QuernError) -> tuple[tuple[str, str], ...]:
    if isinstance(engine, QuernError):
        return (("Problem", impersonal(str(engine))),)
    devices = "; ".join(f"{device.name}: {device.description}" for device in engine.devices)
    return (
        ("llama.cpp", f"llama-cpp-python {engine.version}, build {engine.build}"),
        ("Backends", ", ".join(engine.backends) or "none"),
        ("Devices", devices or "none"),
        ("Built for", _built_for(engine.system_info)),
    )


def _built_for(system_info: str) -> str:
    """Return llama.cpp's "CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890" as "CPU: AVX, FMA; CUDA: ARCHS=890"."""
    words = ""
    for part in filter(None, (part.strip() for part in system_info.split("|"))):
        backend, is_new, fact = part.rpartition(" : ")
        name, _, value = fact.partition(" = ")
        fact = name if value in ("", "1") else f"{name}={value}"
        words += (f"{'; ' if words else ''}{backend}: " if is_new else ", ") + fact
    return words or "none"


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
