"""Chats to look at."""

import time

from quern.chat import ConversationStore, Figures, MessageState, Role
from quern.spec import FinishReason, Timings, Usage

DAY_S = 86_400
FIGURES = Figures(
    usage=Usage(prompt_tokens=412, cached_tokens=296, completion_tokens=187),
    timings=Timings(ttft_ms=142.0, prompt_tokens_per_s=824.0, decode_tokens_per_s=43.7),
    finish_reason=FinishReason.STOP,
)
MARKDOWN_REPLY = """A quern is a **hand mill**: two stones, the upper one turned by a wooden peg.

1. Grain goes into the hole in the middle.
2. The upper stone, the *runner*, is turned.
3. Flour leaves at the edge.

| Part | Made of | Job |
|---|---|---|
| Runner | basalt | grinds |
| Bedstone | basalt | stays still |
| Handle | ash wood | turns the runner |

```python
def flour(grain_kg: float, loss: float = 0.04) -> float:
    \"\"\"Return how much flour comes out.\"\"\"
    return grain_kg * (1 - loss)
```

> The finer the flour, the more turns: about 1.5 hours for a family's bread.
"""
REASONING = "The person asks what a quern is. I should explain the parts and give a small table."
ARABIC_QUESTION = "ما هي الرحى اليدوية؟"
ARABIC_REPLY = """الرحى اليدوية **مطحنة** من حجرين، يدور الأعلى منهما فوق الأسفل.

- يُصبّ الحَبّ في الفتحة الوسطى.
- يُدار الحجر الأعلى باليد.
- يخرج الدقيق من الحافة.
"""
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3


def add_chat(store: ConversationStore, question: str, reply: str, reasoning: str = "", *, title: str = "") -> int:
    """Store a chat of one exchange; return its id."""
    conversation = store.create(title=title, model_name="SmolLM2-135M-Instruct Q4_1")
    user = store.append(conversation.id, None, Role.USER, question)
    answer = store.append(
        conversation.id,
        user.id,
        Role.ASSISTANT,
        "",
        state=MessageState.STREAMING,
        model_name="SmolLM2-135M-Instruct Q4_1",
    )
    store.save_reply(answer.id, reply, reasoning, 1840 if reasoning else None, MessageState.COMPLETE, FIGURES)
    return conversation.id


def no_chats(_store: ConversationStore) -> None:
    """A first launch."""


def few_chats(store: ConversationStore) -> None:
    """A week of use."""
    titles = (
        ("Birthday poem for Ada", 40),
        ("Why bread needs salt", 9),
        ("Packing list for the mountains", 6),
        ("Explain TCP slow start", 3),
        ("Translate a letter to the landlord", 1),
        ("Rust or Go for a small tool?", 1),
    )
    for title, days in titles:
        ident = add_chat(store, title, "A short answer.", title=title)
        date_back(store, ident, days)
    pinned = add_chat(store, "Meal plan", "Monday: lentils.", title="Meal plan")
    store.pin(pinned)
    add_chat(store, "What is a quern, and how was one used?", MARKDOWN_REPLY, REASONING)


def arabic_chats(store: ConversationStore) -> None:
    """Right to left."""
    add_chat(store, "اكتب رسالة شكر قصيرة", "شكرًا جزيلًا على مساعدتك.")
    add_chat(store, ARABIC_QUESTION, ARABIC_REPLY)


def long_chats(store: ConversationStore) -> None:
    """Texts that do not fit."""
    add_chat(store, LONG_WORD, LONG_WORD, title=LONG_WORD)
    add_chat(store, "Please " + "really " * 60 + "explain.", LONG_WORD + "\n\n" + "word " * 300)


def date_back(store: ConversationStore, conversation_id: int, days: int) -> None:
    """Make a chat look as old as it should."""
    database = store._database  # pyright: ignore[reportPrivateUsage]  # the store has no reason to change its past
    with database.transaction() as connection:
        connection.execute(
            "UPDATE conversations SET updated_at = ? WHERE id = ?", (time.time() - days * DAY_S, conversation_id)
        )
