"""Math as legible text: the commonest LaTeX commands become the characters they stand for; the rest stays readable."""

import re

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡", "sim": "∼", "propto": "∝", "infty": "∞", "partial": "∂",
    "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫", "to": "→", "rightarrow": "→", "leftarrow": "←", "implies": "⇒",
    "Rightarrow": "⇒", "iff": "⇔", "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪",
    "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬", "land": "∧", "lor": "∨", "ldots": "…",
    "dots": "…", "cdots": "⋯", "circ": "∘", "degree": "°", "angle": "∠", "quad": "  ", "qquad": "    ", ",": " ",
    ";": " ", ":": " ", "!": "", " ": " ", "\\": "\n", "{": "{", "}": "}", "%": "%", "$": "$", "_": "_", "&": "&",
    "left": "", "right": "", "displaystyle": "", "bigl": "", "bigr": "", "Big": "", "big": "", "|": "‖",
}  # fmt: skip
_SUPERSCRIPTS = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True))

_ARGUMENT = r"\{([^{}]*)\}"
_FRACTION = re.compile(r"\\[dt]?frac\s*" + _ARGUMENT + r"\s*" + _ARGUMENT)
_ROOT = re.compile(r"\\sqrt\s*" + _ARGUMENT)
_WRAPPER = re.compile(r"\\(?:text|mathrm|mathbf|mathit|mathbb|mathcal|operatorname|boxed|begin|end)\*?\s*" + _ARGUMENT)
_SCRIPT = re.compile(r"([\^_])(?:" + _ARGUMENT + r"|(\w))")
_COMMAND = re.compile(r"\\([A-Za-z]+|[^A-Za-z])")
_NESTING = 6
DISPLAY_LINE = 16


def starts_display(line: str) -> bool:
    """Whether `line` alone opens a displayed formula."""
    return len(line) < DISPLAY_LINE and line.strip() in ("$$", "\\[")


def ends_display(line: str) -> bool:
    """Whether `line` alone closes a displayed formula."""
    return line.strip() in ("$$", "\\]")


def legible(latex: str) -> str:
    """`latex` with its commands replaced by plain characters; what is not known is left as written."""
    text = latex.strip()
    for _ in range(_NESTING):
        before = text
        text = _WRAPPER.sub(lambda found: "" if found[0].startswith(("\\begin", "\\end")) else found[1], text)
        text = _SCRIPT.sub(_script, text)
        text = _ROOT.sub(r"√(\1)", text)
        text = _FRACTION.sub(_fraction, text)
        if text == before:
            break
    text = _COMMAND.sub(lambda found: _SYMBOLS.get(found[1], found[1]), text)
    return text.strip()


def _fraction(found: re.Match[str]) -> str:
    return "/".join(part if len(part) == 1 or part.isalnum() else f"({part})" for part in (found[1], found[2]))


def _script(found: re.Match[str]) -> str:
    """Raised or lowered characters where Unicode has them all; else ^(...) or _(...)."""
    body = found[2] if found[2] is not None else found[3]
    table = _SUPERSCRIPTS if found[1] == "^" else _SUBSCRIPTS
    if body and all(character in table for character in body):
        return "".join(table[character] for character in body)
    return f"{found[1]}{body}" if len(body) == 1 else f"{found[1]}({body})"
