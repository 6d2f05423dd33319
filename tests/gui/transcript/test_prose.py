"""Markdown becomes lines and tables; whatever could act on its own is text."""

import pytest

from quern.gui.widgets.transcript.element import Face, Line, LineRole, Marker, Side, Table
from quern.gui.widgets.transcript.formula import legible
from quern.gui.widgets.transcript.prose import read_prose


def line(source: str) -> Line:
    (element,) = read_prose(source)
    assert isinstance(element, Line)
    return element


def test_faces_of_running_text() -> None:
    runs = line("**b** *i* ~~s~~ `c` p").runs
    faces = {run.text.strip(): run.face for run in runs if run.text.strip()}
    assert faces == {"b": Face.BOLD, "i": Face.ITALIC, "s": Face.STRUCK, "c": Face.CODE, "p": Face.PLAIN}


def test_lists_nest_and_count_and_tick() -> None:
    lines = [one for one in read_prose("3. a\n4. b\n   - c\n- [ ] d\n- [x] e\n") if isinstance(one, Line)]
    assert [(one.text, one.indent, one.marker, one.number) for one in lines] == [
        ("a", 1, Marker.NUMBER, 3),
        ("b", 1, Marker.NUMBER, 4),
        ("c", 2, Marker.DISC, 0),
        ("d", 1, Marker.UNCHECKED, 0),
        ("e", 1, Marker.CHECKED, 0),
    ]


def test_tables_keep_their_shape() -> None:
    (table,) = read_prose("| a | b |\n|:--|--:|\n| 1 |\n| 2 | **3** | 4 |\n")
    assert isinstance(table, Table)
    assert table.sides == (Side.LEFT, Side.RIGHT)
    assert table.text == "a\tb\n1\t\n2\t3"


def test_quotes_headings_and_rules() -> None:
    heading, quote, rule = read_prose("## H\n\n> q\n\n---\n")
    assert isinstance(heading, Line)
    assert isinstance(quote, Line)
    assert isinstance(rule, Line)
    assert (heading.role, heading.level) == (LineRole.HEADING, 2)
    assert quote.quotes == 1
    assert rule.role is LineRole.RULE


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "<iframe src='file:///etc/passwd'></iframe>",
        "[a](javascript:alert(1))",
        "[a](file:///etc/passwd)",
        "[a](smb://host/share)",
        "[a](ms-settings:privacy)",
        "[a](data:text/html;base64,AAAA)",
        "[a](//host/share)",
        "![a](file:///etc/passwd)",
    ],
)
def test_ui_03_html_and_unsafe_links_are_text(source: str) -> None:
    (element,) = read_prose(source)
    assert isinstance(element, Line)
    assert element.text == source
    assert all(not run.href for run in element.runs)


def test_safe_links_and_bare_addresses_are_links() -> None:
    runs = line("[a](https://a.example/x) http://b.example/y. <mailto:me@c.example>").runs
    assert [run.href for run in runs if run.href] == [
        "https://a.example/x",
        "http://b.example/y",
        "mailto:me@c.example",
    ]


def test_ui_01_an_image_is_its_description_and_host() -> None:
    (run,) = line("![A cat](http://127.0.0.1:8000/p.png?d=secret)").runs
    assert run.text == "[Image: A cat · 127.0.0.1]"
    assert run.href == "http://127.0.0.1:8000/p.png?d=secret"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\alpha + \beta", "α + β"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{a+b}{c}", "(a+b)/c"),
        (r"x^2 + y_{10}", "x² + y₁₀"),
        (r"\sqrt{x}", "√(x)"),
        (r"\text{if } x \leq 3", "if  x ≤ 3"),
        (r"\unknown{x}", "unknown{x}"),
    ],
)
def test_formulas_read_as_text(latex: str, text: str) -> None:
    assert legible(latex) == text


@pytest.mark.parametrize("source", ["$x^2$", r"\(x^2\)", "$$x^2$$", r"\[x^2\]"])
def test_every_way_of_writing_math_is_recognised(source: str) -> None:
    (run,) = line(source).runs
    assert (run.text, run.face) == ("x²", Face.FORMULA)


def test_prices_are_not_math() -> None:
    assert line("It costs $5 and $6.").text == "It costs $5 and $6."


def test_characters_a_document_cannot_hold_are_replaced() -> None:
    text = line("a\ufdd0b\u2029c\ufffcd").text
    assert text == "a\ufffdb c\ufffdd"
