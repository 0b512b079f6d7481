"""What models get wrong, and what must come of it whatever a second one judges.

`cases.json` holds what people said, what was known, and what a model claimed to have found;
`denials.json` what it took for the end of what was known, and whether it was; `neighbours.json`
what means something else with what was said beside it; `languages.json` the same kinds in many
languages, as people type them on phones, and answers that are no clean JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gaia.digest import proposals
from gaia.digest.check import claims, summary
from gaia.digest.extract import GaiaExtractor
from gaia.digest.extractive import SentenceExtractor
from gaia.digest.known import chosen
from gaia.digest.verify import UNASKED, Effect, Verdict, verdicts_of
from gaia.memory import ledger, profile
from gaia.memory.memory import Memory, Statement
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.testing.clock import START
from tests.harness.book import Book
from tests.harness.digests import ScriptedAsk
from tests.harness.proposals import Digests
from tests.harness.turns import a_turn, a_window

CASES = [
    case
    for name in ("cases.json", "denials.json", "neighbours.json", "languages.json")
    for case in json.loads((Path(__file__).parent / name).read_text())
]
FIRST = 31
ZONE = ZoneInfo("Europe/Lisbon")


def all_of(verdict: str, effect: str) -> Callable[[Mapping[str, int]], str]:
    """An answer that judges everything the same."""

    def answer(asked: Mapping[str, int]) -> str:
        return json.dumps(
            {
                "verdicts": [
                    {"item": number, "verdict": verdict} for number in range(1, asked["items"] + 1)
                ],
                "changes": [
                    {"item": number, "known": known, "change": effect}
                    for number in range(1, asked["items"] + 1)
                    for known in range(1, asked["known"] + 1)
                ],
            }
        )

    return answer


EMBEDDED = "embedded"
JUDGES = {
    "same": all_of(Verdict.SAME, Effect.SAME),
    "replaces": all_of(Verdict.SAME, Effect.REPLACES),
    "unclear": all_of(Verdict.UNCLEAR, "unclear"),
    "nothing": lambda _: "{}",
    "garbage": lambda _: 'I am sorry, as a language model {"verdicts": [[1, null], {}]',
}


async def learned(book: Book, case: Mapping[str, object], judge: str) -> list[Memory]:
    """The memories that are active after the case was digested."""
    user = await book.database.write(identities.create, case["user"], Role.MEMBER, now=START)
    said_at = datetime.fromisoformat(f"{case['date']}T15:00").replace(tzinfo=ZONE)
    known = []
    if case["known"]:
        before = said_at - timedelta(days=30)
        said = Statement(str(case["known"]), MemorySource.DIGEST, said_at=before)
        known = [(await book.database.write(ledger.add, user.user_id, said, before)).memory]
    offers = chosen([], [], [known], most=30)
    found = {"replaces": 1 if known and case["found"]["operation"] != "ADD" else 0, **case["found"]}
    window = a_window(
        turns=[a_turn(n, words, said_at=said_at) for n, words in enumerate(case["said"], 1)],
        user_name=str(case["user"]),
    )
    told = json.dumps({"facts": [found], "rules": [], "reminders": [], "summary": "They talked."})
    extractor = GaiaExtractor(ScriptedAsk([case.get("answer", told)]))
    extracted = await (SentenceExtractor(EMBEDDED) if judge == EMBEDDED else extractor).extract(
        window, offers
    )
    claimed = claims(extracted.extraction, window, offers)
    verdicts = UNASKED
    if judge != EMBEDDED:
        answer = JUDGES[judge]({"items": len(claimed.found), "known": len(offers)})
        verdicts = verdicts_of(answer, claimed.found)
    checked = proposals.checked(claimed, verdicts, summary("They talked.", window), ZONE)
    digests = Digests(book.database, user.user_id)
    await digests.commit(await digests.sealed(), checked, now=said_at)
    every = await book.database.read(ledger.every, user.user_id, limit=100)
    told = await book.database.read(profile.material, user.user_id, said_at)
    as_told = {each.memory_id: each for each in told}
    found = [each for each in every if each.kind is not MemoryKind.EPISODE]
    return [as_told.get(each.memory_id, each) for each in found]


def tried() -> Iterator[object]:
    """Each case with each judge: in a usual run the first cases, and each of the others with
    the judge that says yes to all, and with another, in turn."""
    judges = (*JUDGES, EMBEDDED)
    for number, case in enumerate(CASES):
        for place, judge in enumerate(judges):
            is_usual = number < FIRST or place in {0, 1 + number % (len(judges) - 1)}
            marks = () if is_usual else (pytest.mark.thorough,)
            yield pytest.param(case, judge, id=f"{case['id']}-{judge}", marks=marks)


@pytest.mark.parametrize(("case", "judge"), [*tried()])
async def test_whatever_is_claimed_and_judged_nothing_false_is_kept(
    case: Mapping[str, object], judge: str, book: Book
) -> None:
    memories = await learned(book, case, judge)
    every = [each.told for each in memories]
    # A model that cannot judge leaves what was known beside what is said now.
    texts = [text for text in every if judge != EMBEDDED or text != case["known"]]
    expected = case["expect"]
    if "never" in expected:
        assert not [text for text in texts if re.search(expected["never"], text)]
    if "stays" in expected and judge != "replaces":
        assert case["known"] in every, "nobody judged that it is over"
    if "active" in expected and judge != EMBEDDED:
        assert any(re.search(expected["active"], text) for text in texts), texts
    if "due" in expected and judge != EMBEDDED:
        assert [
            each.due_at.astimezone(ZONE).strftime("%Y-%m-%d %H:%M")
            for each in memories
            if each.due_at
        ] == expected["due"]
