"""The phrases of a text: which stand together, and the words before and after them, such as
"until"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import regex

from gaia.memory.when import clock
from gaia.memory.when.book import Piece
from gaia.memory.when.days import days_of, is_day
from gaia.memory.when.meaning import MINUTES, SENTENCE_END, Meaning, Span
from gaia.memory.when.recurrence import is_recurrence, until
from gaia.memory.when.spans import Seen

CLAUSE_REST = regex.compile(r"\s*(?:[.!?;,)。]|$)")
FIRST_WORDS = regex.compile(r"[\w']+\s+")
ORDINAL = regex.compile(
    r"(?<!\w)(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|(?:erste|zweite|dritte"
    r"|vierte|letzte|vorletzte|u(?:e)?bernachste|ubernaechste|uebernaechste)[nrms]?|primer[oa]?"
    r"|segund[oa]|tercer[oa]?|cuarto|ultim[oa]|premiere?|deuxieme|second|troisieme|quatrieme"
    r"|dernier|prim[oa]|second[oa]|terz[oa]|quart[oa]|primeir[oa]|terceir[oa]|eerste|tweede|derde"
    r"|vierde|laatste|forsta|andra|tredje|fjarde|sista|pierwsz\w+|drug\w+|trzeci\w*|czwart\w+"
    r"|ostatni\w*|перв\w+|втор\w+|трет\w+|четверт\w+|последн\w+|ilk|birinci|ikinci|ucuncu"
    r"|dorduncu)\s+$|(?:第[1-5一二三四五]个?|最后一?个?|最終|첫째|둘째|셋째|넷째|마지막"
    r"|[첫두세네] ?번째)\s*$"
)
"""What makes another day of a weekday, in any language, as it is folded."""
ZONE = regex.compile(
    r"\s*\(?(?:UTC|GMT|MSK|[A-Z]{1,3}[SD]?T|MES?Z|Eastern|Central|Mountain|Pacific|Ortszeit)(?!\w)"
    r"|\s*(?:in )?(?:\p{Lu}\w+ ){1,2}(?:time|Zeit)(?!\w)"
)
"""The name of a time zone behind a time."""
PART_OF = regex.compile(r"(?<!\w)(?:of|de|di|van|von|av)\s+$")
"""What makes a part of what recurs, in any language: "the last day of" every month."""
BUT = regex.compile(r"^(?:but|aber|pero|mais|ma|mas|maar|men|ale|но)\s+")
LONGEST_ZONE = 40
LONGEST_EDGE = 30
"""Characters that are looked at before a phrase."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one text by one book."""

    meaning: Meaning

    def spans(self) -> Iterator[Span]:
        """What is certain, in order."""
        chains, cut = self._chains()
        found: list[Span | None] = []
        is_whole = True
        taken: set[int] = set()
        for index, chain in enumerate(chains):
            if index in taken:
                continue
            following = chains[index + 1] if index + 1 < len(chains) else None
            span: Span | None
            read, parts = [chain], list[Sequence[Piece]]()
            if following and (ends := self._from_to(chain, following)):
                taken.add(index + 1)
                span, read = self._range(chain, following, *ends), [chain, following]
            elif following and (limited := self._until(chain, following)):
                taken.add(index + 1)
                span, read, parts = limited, [[*chain, *following]], [chain, following]
            elif (other := self._partner(chains, index)) is not None:
                taken.add(other)
                span, read = self._with_time_apart(chain, chains[other]), [chain, chains[other]]
            else:
                span = self._edged(chain)
            if span is None:
                continue
            was_cut = not cut.isdisjoint(map(id, [*read, *parts]))
            is_period = span.end is not None and not span.has_time
            is_partial = (
                any(map(self._is_partial, read))
                or (was_cut and not is_period)
                or (span.rule is not None and self._goes_on(span))
                or (self.meaning.ahead and self._is_lasting(span, read))
            )
            found.append(None if is_partial else span)
            is_apart = self._is_apart(span) or self._is_limited_apart(span, chains[index + 1 :])
            is_whole = is_whole and not (is_partial or was_cut or is_apart)
        yield from (replace(span, is_whole=is_whole) for span in found if span is not None)

    def _is_partial(self, chain: Sequence[Piece]) -> bool:
        """Whether words beside a chain make another time of it: "two days before Friday", "the
        first Monday of the month", "at 9 EST"."""
        first, last = chain[0], chain[-1]
        text, unread = self.meaning.text.text, self.meaning.book.unread
        begin = max(0, first.start - LONGEST_EDGE)
        before, after = set[str](), set[str]()
        if first.kind in {"in", "ago"}:
            before.add("length_before")
        if last.kind in {"in", "ago", "for", "next_n"}:
            after.add("length_after")
        if last.kind in clock.KINDS:
            after.update(("time_after", "unit_after"))
            if ZONE.match(self.meaning.text.source(last.end, last.end + LONGEST_ZONE)):
                return True
        if first.word("weekday") and ORDINAL.search(text, begin, first.start):
            return True
        if is_recurrence(first) and PART_OF.search(text, begin, first.start):
            return True
        if last.word("part"):
            after.add("part_too")
        if last.word("weekday") or last.kind == "day":
            after.add("week_after")
        if last.word("weekday"):
            after.add("part_after")
        for found in unread["apart"].finditer(text, begin, last.end) if "apart" in unread else ():
            if found.start() < first.start and not text[found.end() : first.start].strip():
                return True
        return any(
            name in unread and unread[name].search(text, begin, first.start) for name in before
        ) or any(name in unread and unread[name].match(text, last.end) for name in after)

    def _is_lasting(self, span: Span, read: Sequence[Sequence[Piece]]) -> bool:
        """Whether all the time to or from a day is meant, and no moment."""
        if span.rule is not None:
            return False
        is_period = span.end is not None and not span.has_time
        return (len(read) > 1 and is_period) or any(self._edge(each, "until")[0] for each in read)

    def _goes_on(self, span: Span) -> bool:
        """Whether an "until", a "since" or a "but not" stands behind what recurs."""
        edges = self.meaning.book.edges
        behind = BUT.sub("", self.meaning.text.text[span.ends :].lstrip(" ,("))
        words = [each.end() for each in FIRST_WORDS.finditer(behind[:LONGEST_EDGE])]
        return any(
            edges[kind].fullmatch(behind, 0, end)
            for kind in ("until", "since", "not")
            if kind in edges
            for end in words
        )

    def _is_limited_apart(self, span: Span, chains: Sequence[Sequence[Piece]]) -> bool:
        """Whether days are counted further behind what recurs, and may be all that it lasts:
        "every day at 8 to take the pill for a week"."""
        if span.rule is None or not self.meaning.ahead:
            return False
        lone = [chain[0] for chain in chains if len(chain) == 1 and chain[0].start >= span.ends]
        return any(
            piece.word("lasts") or (piece.kind == "for" and self._is_of_days(piece))
            for piece in lone
        )

    def _is_of_days(self, piece: Piece) -> bool:
        units = {unit for unit, _ in piece.lengths}
        return units.isdisjoint(MINUTES)

    def _is_apart(self, span: Span) -> bool:
        """Whether a length before or after something else is named in the sentence: "an hour
        before my meeting at 4"."""
        text, apart = self.meaning.text.text, self.meaning.book.unread.get("apart")
        begin = max(
            (found.end() for found in SENTENCE_END.finditer(text, 0, span.begins)), default=0
        )
        return apart is not None and apart.search(text, begin, span.begins) is not None

    def _partner(self, chains: Sequence[Sequence[Piece]], index: int) -> int | None:
        """The other chain of the sentence, where one of both is a day and one its time:
        "tomorrow" and "at 10:30" in "Tomorrow I see the dentist at 10:30"."""
        if index + 1 == len(chains) or not self._is_near(chains[index], chains[index + 1]):
            return None
        if index and self._is_near(chains[index - 1], chains[index]):
            return None
        if index + 2 < len(chains) and self._is_near(chains[index + 1], chains[index + 2]):
            return None
        one, other = chains[index], chains[index + 1]
        times = [each for each in (one, other) if self._is_time(each)]
        if len(times) != 1 or not self._stands_out(times[0]):
            return None
        if any(self._edge(each, "until", "since", "not")[0] for each in (one, other)):
            return None
        together = self.meaning.of([*one, *other])
        return index + 1 if together is not None and together.has_time else None

    def _with_time_apart(self, one: Sequence[Piece], other: Sequence[Piece]) -> Span:
        together = self.meaning.of([*one, *other])
        assert together is not None
        apart = (other[0].start, other[-1].end)
        return replace(together, begins=one[0].start, ends=one[-1].end, apart=apart)

    def _is_near(self, one: Sequence[Piece], other: Sequence[Piece]) -> bool:
        """Whether two chains stand in one sentence."""
        text = self.meaning.text.text
        return SENTENCE_END.search(text, one[-1].end, other[0].start) is None

    def _is_time(self, chain: Sequence[Piece]) -> bool:
        """Whether a chain is a time without a day."""
        kinds = {piece.kind for piece in chain}
        return bool(kinds & clock.KINDS) and kinds <= clock.KINDS | {"part"}

    def _stands_out(self, chain: Sequence[Piece]) -> bool:
        """Whether a time cannot be a number of something else, as in "at 9 places"."""
        told = chain[-1]
        if len(chain) > 1 or told.kind != "clock" or told.words.keys() & {"m", "ampm", "part"}:
            return True
        return CLAUSE_REST.match(self.meaning.text.text, told.end) is not None

    def _chains(self) -> tuple[list[list[Piece]], set[int]]:
        """The chains, and which of them, by `id`, left out a phrase that belongs to them."""
        chains: list[list[Piece]] = []
        cut: set[int] = set()
        chain: list[Piece] = []
        for piece in self.meaning.book.pieces(self.meaning.text):
            if chain and self._adjoins(chain, piece):
                if piece.kind != "never" and self._joins([*chain, piece]):
                    chain.append(piece)
                    continue
                if self._is_tied(chain, piece):
                    cut.add(id(chain))
                    continue
            chain = [] if piece.kind == "never" else [piece]
            if chain:
                chains.append(chain)
        return chains, cut

    def _joins(self, chain: Sequence[Piece]) -> bool:
        """Whether a chain means something, or will with a day: a time, its part of the day."""
        kinds = sorted("part" if piece.kind == "part" else "clock" for piece in chain)
        is_whole_time = self._is_time(chain) and kinds == ["clock", "part"]
        return is_whole_time or self.meaning.of(chain) is not None

    def _adjoins(self, chain: Sequence[Piece], piece: Piece) -> bool:
        return self.meaning.book.glue.fullmatch(self._between(chain, piece)) is not None

    def _is_tied(self, chain: Sequence[Piece], piece: Piece) -> bool:
        """Whether a phrase is said of the one before it, and cannot be placed by itself: "at
        9" in "next week at 9"."""
        between = self._between(chain, piece)
        to = self.meaning.book.edges.get("to")
        joins = to is not None and to.fullmatch(between.strip())
        if any(map(is_recurrence, chain)) and self._edge([piece], "until")[0]:
            return False
        parts = {chain[-1].kind, piece.kind} == {"in", "weekday"}
        return not joins and (parts or not regex.search(r"[,、(\n]", between))

    def _between(self, chain: Sequence[Piece], piece: Piece) -> str:
        return self.meaning.text.text[chain[-1].end : piece.start]

    def _edged(self, chain: Sequence[Piece]) -> Span | None:
        """What a chain means with the word before or after it: "until", "since"."""
        edge, begins, ends = self._edge(chain, "until", "since", "not")
        if edge == "not":
            return None
        if edge == "since":
            return self._since(chain, begins, ends)
        span = self.meaning.of(chain)
        if span is None or not edge:
            return span
        if span.rule:
            return None
        today = self.meaning.midnight(self.meaning.now.date())
        end = span.start if span.has_time else span.end or span.start + timedelta(days=1)
        if end <= self.meaning.now:
            return None
        return Span(today, end, span.has_time, begins, ends)

    def _until(self, one: Sequence[Piece], other: Sequence[Piece]) -> Span | None:
        """ "every Monday until 24 December", with a time behind either"""
        edge, begins, ends = self._edge(other, "until")
        between = self.meaning.text.text[one[-1].end : begins]
        if not edge or not any(map(is_recurrence, one)) or between.strip(" ,"):
            return None
        days = [piece for piece in other if is_day(piece)]
        times = [piece for piece in other if not is_day(piece)]
        found, last = self.meaning.of([*one, *times]), self.meaning.of(days) if days else None
        if found is None or found.rule is None or last is None or last.start < found.start:
            return None
        after = last.end or last.start + timedelta(days=1)
        rule = until(found.rule, after.date() - timedelta(days=1))
        return replace(found, rule=rule, ends=ends) if rule else None

    def _since(self, chain: Sequence[Piece], begins: int, ends: int) -> Span | None:
        days = [piece for piece in chain if is_day(piece)]
        if len(days) != len(chain):
            return None
        try:
            found = days_of(days, Seen(self.meaning.now, self.meaning.zone, back=True))
        except (ValueError, OverflowError):
            return None
        if found is None or found.first > self.meaning.now.date():
            return None
        return Span(self.meaning.midnight(found.first), None, False, begins, ends)

    def _from_to(self, one: Sequence[Piece], other: Sequence[Piece]) -> tuple[int, int] | None:
        """Where "from Monday to Friday" begins and ends, if two chains are one."""
        edges, text = self.meaning.book.edges, self.meaning.text.text
        begin = max(0, one[0].start - LONGEST_EDGE)
        before = edges["from"].search(text, begin, one[0].start) if "from" in edges else None
        between = text[one[-1].end : other[0].start]
        has_to = "to" in edges and edges["to"].fullmatch(between.strip())
        after = edges["to_after"].match(text, other[-1].end) if "to_after" in edges else None
        has_from = "from_after" in edges and edges["from_after"].fullmatch(between.strip())
        if not ((before and has_to) or (has_from and after)):
            return None
        return (
            before.start() if before else one[0].start,
            after.end() if after else other[-1].end,
        )

    def _range(
        self, one: Sequence[Piece], other: Sequence[Piece], begins: int, ends: int
    ) -> Span | None:
        """What lies between two chains."""
        first, last = self.meaning.of(one), self.meaning.of(other)
        if first is None or last is None or first.rule or last.rule:
            return None
        end = last.start if last.has_time else last.end or last.start + timedelta(days=1)
        while end <= first.start and other[0].kind == "weekday":
            end += timedelta(days=7)
        if end <= first.start or last.has_time != first.has_time:
            return None
        return Span(first.start, end, first.has_time, begins, ends)

    def _edge(self, chain: Sequence[Piece], *kinds: str) -> tuple[str, int, int]:
        """The kind of the word before or after a chain, and where both begin and end. A
        phrase may begin with the word itself, as in "bis 14.3."."""
        begins, ends, text = chain[0].start, chain[-1].end, self.meaning.text.text
        for kind in kinds:
            if (edge := self.meaning.book.edges.get(kind)) and (
                found := edge.search(text, max(0, begins - LONGEST_EDGE), begins)
            ):
                return kind, found.start(), ends
            if edge and kind != "not" and is_day(chain[0]) and chain[0].kind != "date_range":
                for word in FIRST_WORDS.finditer(text, begins, ends):
                    if edge.fullmatch(text, begins, word.end()):
                        return kind, begins, ends
            if (edge := self.meaning.book.edges.get(f"{kind}_after")) and (
                found := edge.match(text, ends)
            ):
                return kind, begins, found.end()
        return "", begins, ends
