"""Search finds what was typed, letter by letter, and shows where."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quern.base import Database
from quern.chat import TABLES, ConversationStore, Role, SearchHit


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ConversationStore]:
    database = Database.open(tmp_path / "quern.db", (TABLES,), tmp_path / "backups")
    yield ConversationStore(database)
    database.close()


def write(store: ConversationStore, *texts: str, title: str = "untitled") -> int:
    ident = store.create(title).id
    for text in texts:
        store.append(ident, None, Role.USER, text)
    return ident


def marked(hit: SearchHit) -> str:
    return hit.snippet[hit.match_start : hit.match_start + hit.match_length]


SPECIAL = (
    "'",
    '"',
    "%",
    "_",
    "*",
    "NEAR(",
    "NEAR(a b)",
    ":",
    "-",
    "a-b",
    "😀",
    "AND",
    "OR NOT",
    "col:x",
    "(",
    ")",
    "^",
    "\\",
    "''",
    '""',
    "x' OR 1=1 --",
    "{a b}",
    "中",
    "中文",
    "é",
)


@pytest.mark.parametrize("special", SPECIAL)
def test_db_08_special_text_matches_itself_and_nothing_else(store: ConversationStore, special: str) -> None:
    """DB-08: search for quotes, wildcards, operators, emoji."""
    write(store, f"before {special} after", "plain words only, zzz 123", title="zzz")
    hits = store.search(special)
    assert [marked(hit) for hit in hits] == [special]


@pytest.mark.parametrize("special", SPECIAL)
def test_db_08_special_text_in_a_title_is_found(store: ConversationStore, special: str) -> None:
    """DB-08: titles."""
    ident = write(store, title=f"about {special}!")
    store.rename(ident, f"about {special}!")
    hits = store.search(special)
    assert [(hit.conversation_id, hit.message_id, marked(hit)) for hit in hits] == [(ident, None, special)]


def test_db_08_a_query_of_ten_kilobytes_is_compared_in_full(store: ConversationStore) -> None:
    """DB-08: 10 KB query."""
    long = "lorem ipsum " * 850
    write(store, f"x {long} y", long[:-8] + "other", title="t")
    assert [hit.snippet[:13] for hit in store.search(long)] == ["x lorem ipsum"]
    assert store.search(long + "?") == ()


def test_case_is_the_same_in_long_and_short_queries(store: ConversationStore) -> None:
    write(store, "Straßenbahn FÄHRE", "да Это", title="t")
    assert [marked(hit) for hit in store.search("fähre")] == ["FÄHRE"]
    assert [marked(hit) for hit in store.search("ДА")] == ["да"]
    assert [marked(hit) for hit in store.search("эт")] == ["Эт"]


def test_hits_are_titles_first_then_the_newest_message_and_limited(store: ConversationStore) -> None:
    titled = write(store, "nothing", title="needle title")
    write(store, "needle one", "needle two", "needle three", title="t")
    hits = store.search("needle", 3)
    assert [hit.snippet for hit in hits] == ["needle title", "needle three", "needle two"]
    assert hits[0].conversation_id == titled
    assert store.search("needle", 0) == ()


@pytest.mark.parametrize("query", ["", "   ", "\n", "\x00", " \x00 "])
def test_a_query_of_nothing_finds_nothing(store: ConversationStore, query: str) -> None:
    write(store, "some text")
    assert store.search(query) == ()


def test_the_snippet_is_one_line_around_the_match(store: ConversationStore) -> None:
    write(store, "a" * 500 + "\nthe needle\nis here" + "b" * 500, title="t")
    (hit,) = store.search("needle")
    assert "\n" not in hit.snippet
    assert len(hit.snippet) <= 160
    assert marked(hit) == "needle"
    assert "the needle is here" in hit.snippet


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=12).filter(lambda text: text.strip() != "" and "\x00" not in text))
def test_any_text_finds_the_message_that_holds_it(store: ConversationStore, text: str) -> None:
    ident = store.create("t").id
    message = store.append(ident, None, Role.USER, f"<<{text}>>")
    assert message.id in {hit.message_id for hit in store.search(text, 1000)}
