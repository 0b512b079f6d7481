"""What a host's refusal says: its cause, and what of the request it names.

The status alone never tells. Hosts say "does not support tools", "exceeds the available
context size" and "credit balance is too low" all with 400. So the words of the whole body
are read, for what they name: a field that was sent, a feature, a length, money, a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import partial

from gaia.agent.adaptations import FEATURE_FIELDS, SHAPE, Feature, optional_fields, plain
from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTooLongError,
    ModelUnavailableError,
    ModelUnpaidError,
)

PASSING_STATUSES = frozenset({408, 409, 425, 429})
NAMELESS_STATUSES = frozenset({400, 422})
"""Statuses of a refusal that may have been for any part of the request."""
REPEATED = frozenset({"input", "ctx"})
"""Where validators repeat what they were sent, the person's words among it."""
FEWEST_TOKENS = 256
"""A smaller number in a refusal is the length of no prompt and no context."""
ANSWER_LIMITS = frozenset({"maxtokens", "maxcompletiontokens", "maxoutputtokens"})
"""Fields that ask for room for an answer, which takes it from the prompt's."""

_pattern = partial(re.compile, flags=re.IGNORECASE)
_BLOCKED = _pattern(
    r"content[_ -]?(?:filter|policy|management)|responsible ?ai|flagged|moderation|safety|"
    r"prohibited|prompt (?:was|is) blocked"
)
_LENGTH = _pattern(r"context|prompt|tokens?\b|input (?:length|is|size)|length of")
_EXCESS = _pattern(
    r"exceed|too[_ ](?:long|large|many)|overflow|(?:reduce|shorten) the |long(?:er)? than|"
    r"larger than|less than|must be <=|maximum (?:context|prompt)|should be \["
)
_NO_LENGTH = _pattern(r"\bimages?\b|\bMB\b|\bbytes\b")
_TOO_LARGE = _pattern(r"too (?:large|long)")
_UNPAID = _pattern(
    r"credit|balance|billing|quota|payment|afford|(?:spend\w*|usage) limit|\bfunds\b|arrear"
)
_SPENT = _pattern(r"insufficient_quota|credits?\b|balance|per[-_ ]?day|daily|limit: 0\b")
"""Marks a 429 that waiting for a minute does not mend."""
_WRONG_KEY = _pattern(
    r"(?:invalid|incorrect|wrong|missing)[_ ]api[_ ]?key|api[_ ]?key[_ ](?:not valid|is|invalid)"
)
_WRONG_NAME = _pattern(
    r"model_not_found|unknown[_ ]model|not a valid model|no such model|no models? loaded|"
    r"\bmodel\b.{0,80}(?:not found|not exist)"
)
_LACKING = _pattern(
    r"support|enabl|allow|permit|available|accept|capab|\bunknown|unrecogni|unexpected|\bextra\b|"
    r"forbidden|requires|\bonly\b|must|cannot|can't|\binvalid\b|deprecated|multimodal|fail|too many"
)
_NO_SUPPORT = _pattern(r"support|unavailable|not (?:enabled|available|implemented)|requires --")
_NO_FILES = _pattern(r"support|multimodal|missing data")
_ONE_FILE = _pattern(r"format|mime|media.?type|size|\bMB\b|corrupt|decode")
_FEATURES: Mapping[Feature, re.Pattern[str]] = {
    Feature.FILES: _pattern(r"image|vision|multimodal|audio|\bfiles?\b|document|media|pdf"),
    Feature.TOOLS: _pattern(r"\btools?\b|function.?call"),
    **dict.fromkeys(
        SHAPE, _pattern(r"schema|response.?format|grammar|structured.?output|json.?mode")
    ),
    Feature.SYSTEM: _pattern(r"\bsystem|developer (?:role|instruction|message)"),
    Feature.STREAM: _pattern(r"\bstream(?:ing)?\b"),
}
_NUMBER = r"(?<![\w.-])(\d[\d,]*)(?![\w-])"
_LIMIT = _pattern(
    r"(?:max|limit|allowed|context (?:length|size|window)|only|[<>]=?)\D{0,40}?" + _NUMBER
)
_WORD = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is an error. `text` has all words of its body, and `fields` are the
    optional fields of the request that it names, the first one first."""

    status: int
    text: str
    fields: tuple[str, ...] = ()

    def at_fault(self, key: str) -> tuple[type[ModelError], str]:
        """What is at fault by the words, and only then by the status, and the remedy; `key`
        names the environment variable that has the key."""
        status, text, is_busy = self.status, self.text, self.status >= 429
        if not is_busy and is_blocked(text):
            return ModelBlockedError, "say it in other words"
        if self.is_too_long:
            return ModelTooLongError, "send it in parts, or begin again with /reset"
        if status == 402 or (status <= 429 and (_SPENT if is_busy else _UNPAID).search(text)):
            return ModelUnpaidError, f"top up the account of {key}, or raise its limit"
        if status in (401, 403) or (not is_busy and _WRONG_KEY.search(text)):
            what_for = " and what it may use" if status == 403 else ""
            return ModelRejectedError, f"check {key}{what_for}"
        is_lacking = bool(_NO_SUPPORT.search(text))
        if (status == 404 and not is_lacking) or (not is_busy and _WRONG_NAME.search(text)):
            return ModelRejectedError, "check model.name and model.base_url"
        if status in PASSING_STATUSES or (status >= 500 and not is_lacking) or status > 501:
            return ModelUnavailableError, ""
        return ModelRefusedError, "check model.name"

    @property
    def is_for_all_files(self) -> bool:
        """Of a refusal of files, whether it would be the same for others."""
        return bool(_NO_FILES.search(self.text)) and not _ONE_FILE.search(self.text)

    @property
    def is_too_long(self) -> bool:
        """Whether the request has more than the model reads at once."""
        if self.status == 429:
            return bool(_TOO_LARGE.search(self.text) and _LENGTH.search(self.text))
        if self.status == 413:
            return True
        is_length = _LENGTH.search(self.text) and not _NO_LENGTH.search(self.text)
        return bool(is_length and _EXCESS.search(self.text))

    @property
    def excess(self) -> float | None:
        """How many times more tokens the host counted than it takes, where it says both."""
        lengths = sorted({*self._lengths(re.compile(_NUMBER))})
        limit = next(self._lengths(_LIMIT), lengths[-2] if len(lengths) > 1 else None)
        return lengths[-1] / limit if limit and lengths[-1] > limit else None

    def lacking(self, in_use: Set[Feature], left_out: Collection[str]) -> str | None:
        """What the host is to be asked again without: one of the features `in_use`, or a
        field that is not `left_out` yet. None if it names neither."""
        fields = [field for field in self.fields if field not in left_out]
        if self.is_too_long:
            return next((field for field in fields if plain(field) in ANSWER_LIMITS), None)
        for field in fields:
            features = FEATURE_FIELDS.get(plain(field))
            if features is None:
                return field
            for feature in features & in_use:
                return feature
        if _LACKING.search(self.text):
            for feature, words in _FEATURES.items():
                if feature in in_use and words.search(self.text):
                    return feature
        # Many hosts refuse the shape of an answer without a word.
        suspects = SHAPE & in_use if self.status in NAMELESS_STATUSES else ()
        return next(iter(suspects), None)

    def _lengths(self, pattern: re.Pattern[str]) -> Iterator[int]:
        for told in pattern.finditer(self.text):
            number = int(told[1].replace(",", ""))
            if number >= FEWEST_TOKENS and number != self.status:
                yield number


def is_blocked(text: str) -> bool:
    """Whether a filter or a rule is named that is against the words."""
    return bool(_BLOCKED.search(text))


def refusal_of(status: int, body: str, sent: bytes, needed: Collection[str] = ()) -> Refusal:
    """Read the body of an error that a host answered a request with. `needed` are fields
    that its protocol wants."""
    try:
        text = " ".join(_strings(json.loads(body)))
    except ValueError:
        text = " ".join(body.split())
    return Refusal(status, text, tuple(_named(text, optional_fields(sent, needed))))


def _named(text: str, fields: Iterator[str]) -> Iterator[str]:
    """The fields that stand in a text, in its order. A name that is a word of everyday
    English counts only where the text says that something is lacking."""
    places: dict[str, int] = {}
    for word in _WORD.finditer(text):
        places.setdefault(plain(word[0]), word.start())
    if _EXCESS.search(text) and "completion" in places:
        places |= dict.fromkeys(ANSWER_LIMITS - places.keys(), places["completion"])
    is_lacking = bool(_LACKING.search(text))
    found = [
        (places[plain(field)], field)
        for field in fields
        if plain(field) in places and (is_lacking or not field.isalpha() or not field.islower())
    ]
    yield from (field for _, field in sorted(found))


def _strings(value: object) -> Iterator[str]:
    """All that a body says, without what it repeats of the request."""
    match value:
        case str():
            yield value
        case dict():
            yield from _strings([each for name, each in value.items() if name not in REPEATED])
        case list():
            for inner in value:
                yield from _strings(inner)
