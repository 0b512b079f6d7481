"""What is known of a host and its model from its refusals: what it is asked without, and
how long a request may be.

What one call finds out holds for those after it, for a day or until the settings change,
over restarts too: it is kept in a file of the home, which has names of fields and numbers,
and no word of anybody's.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from google.adk.models.llm_request import LlmRequest
from pydantic import BaseModel, ValidationError

from gaia.agent.adaptations import BodyFilter, Feature, features_of, without
from gaia.agent.prompt import turn_begins
from gaia.agent.refusals import Refusal
from gaia.clock import SystemClock
from gaia.files import rewrite
from gaia.memory.search.recall import text_tokens
from gaia.ports import Clock
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import ModelSettings

logger = logging.getLogger(__name__)

KEPT = timedelta(days=1)
"""What a host said holds this long: tomorrow it may be another host, or a better one."""

MOST_REFUSALS = 8
"""One call is asked again with less this often at most."""
SHARE = 0.8
"""The share of a host's limit that a request may take: the rest is for the answer, and for
the error of an estimate of tokens."""
TURNS_AT_ONCE = 5
"""Old turns are left out so many at a time, so that what is left begins the same for a
while: hosts need not read again what they have read."""
FILE_TOKENS = 1000
ROOM = 64_000
"""Tokens for an answer, in which a model that thinks for long comes to its end. A host that
allows fewer says so, and is asked without a limit."""


class _Known(BaseModel):
    about: str = ""
    without: dict[str, datetime] = {}
    most_tokens: float | None = None
    measured_at: datetime | None = None


class KnownHost:
    """What is known of the host and model that it is `about`, kept in `file` if there is one."""

    def __init__(
        self, clock: Clock | None = None, about: str = "", file: Path | None = None
    ) -> None:
        self._clock = clock or SystemClock()
        self._body = BodyFilter()
        self._file = file
        self._known = _read(file, about)
        self._is_written = True

    def attach(self, body: BodyFilter) -> None:
        """Have the fields that are left out taken from what is sent."""
        self._body = body
        self._tell_body()

    @property
    def left_out(self) -> Sequence[str]:
        """The features and fields that the host is asked without."""
        return [name for name, at in self._known.without.items() if self._holds(at)]

    @property
    def most_tokens(self) -> float | None:
        """The longest request, as gaia estimates tokens; None as long as nothing was too long."""
        return self._known.most_tokens if self._holds(self._known.measured_at) else None

    @asynccontextmanager
    async def asked(self, request: LlmRequest, *, stream: bool) -> AsyncIterator[AdaptedRequest]:
        """One call. What was left out in it stays so if it is answered, and is asked for
        again if it is not: it was of no use."""
        self._tell_body()
        asking = AdaptedRequest(self, request, stream=stream)
        try:
            yield asking
        except BaseException:
            for name in asking.tried:
                self._known.without.pop(name, None)
            self._tell_body()
            raise
        if not self._is_written and self._file is not None:
            self._is_written = True
            await asyncio.to_thread(_write, self._file, self._known.model_dump_json(indent=2))

    def leave_out(self, name: str) -> None:
        """Ask without it from now on."""
        self._known.without[name] = self._clock.now()
        self._is_written = False
        self._tell_body()

    def shorten(self, tokens: float) -> None:
        """Ask for no more than that at once."""
        self._known.most_tokens = min(tokens, self.most_tokens or tokens)
        self._known.measured_at = self._clock.now()
        self._is_written = False

    def describe(self) -> str:
        """What is done without, for an owner; empty if nothing is."""
        told = [f"without {', '.join(self.left_out)}"] if self.left_out else []
        if self.most_tokens is not None:
            told.append(f"with about {self.most_tokens:,.0f} tokens at most")
        return " and ".join(told)

    def _holds(self, at: datetime | None) -> bool:
        return at is not None and at <= self._clock.now() < at + KEPT

    def _tell_body(self) -> None:
        self._body.fields = [name for name in self.left_out if name not in {*Feature}]


class AdaptedRequest:
    """What one call asks of a host: `request` and `stream` are as the host takes them, as
    far as it is known. `tried` is what was left out to see whether that helps."""

    def __init__(self, host: KnownHost, request: LlmRequest, *, stream: bool) -> None:
        self._host = host
        self._whole, self._wants_stream = request, stream
        self.tried: list[str] = []
        self._refusals = 0
        self._fit()

    def adapt_to(self, refusal: Refusal | None) -> bool:
        """Whether to ask again, with less of what the host refused."""
        if refusal is None or self._refusals == MOST_REFUSALS:
            return False
        self._refusals += 1
        in_use = features_of(self.request, stream=self.stream)
        lacking = refusal.lacking(in_use, self._host.left_out)
        if lacking is Feature.FILES:
            if refusal.is_for_all_files:
                self._host.leave_out(lacking)
            return False
        if lacking is not None:
            self.tried.append(lacking)
            self._host.leave_out(lacking)
        elif refusal.is_too_long:
            self._host.shorten(_fitting(self.request, refusal.excess))
        before = len(self.request.contents)
        self._fit()
        return lacking is not None or len(self.request.contents) < before

    def make_room(self) -> None:
        """Ask for a longer answer: the model's thoughts took up the room of the last one."""
        room = max(ROOM, 2 * (self._whole.config.max_output_tokens or 0))
        config = self._whole.config.model_copy(update={"max_output_tokens": room})
        self._whole = self._whole.model_copy(update={"config": config})
        self._fit()

    def _fit(self) -> None:
        left_out, most = self._host.left_out, self._host.most_tokens
        # Instructions that stand before the conversation are not to go with its oldest turns.
        lean = without(self._whole, [name for name in left_out if name != Feature.SYSTEM])
        self.request = without(shortened(lean, most), left_out)
        self.stream = self._wants_stream and Feature.STREAM not in left_out


def shortened(request: LlmRequest, most_tokens: float | None) -> LlmRequest:
    """The request without its oldest turns, so that it is of `most_tokens`. Turns are left
    out whole; the present one stays, however long it is."""
    begins = turn_begins(request.contents)
    kept = request
    for at in begins[TURNS_AT_ONCE:-1:TURNS_AT_ONCE] + begins[-1:]:
        if most_tokens is None or size(kept) <= most_tokens:
            break
        kept = request.model_copy(update={"contents": request.contents[at:]})
    return kept


def _fitting(request: LlmRequest, excess: float | None) -> float:
    """How long a request may be when this one is so many times too long; where the host
    does not say it, half of the conversation is tried."""
    if excess is not None:
        return SHARE * size(request) / excess
    fixed = size(request.model_copy(update={"contents": []}))
    return (fixed + size(request)) / 2


def size(request: LlmRequest) -> float:
    """About how many tokens a request has."""
    fixed = request.config.model_dump_json(
        include={"system_instruction", "tools"}, exclude_none=True
    )
    return text_tokens(fixed) + sum(
        FILE_TOKENS if part.inline_data else text_tokens(part.model_dump_json(exclude_none=True))
        for content in request.contents
        for part in content.parts or []
    )


def about(resolved: ResolvedModel, settings: ModelSettings) -> str:
    """The host and the model of some settings, and these: with others all is forgotten."""
    parts = [resolved.provider, resolved.name, resolved.base_url, settings.model_dump_json()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _read(file: Path | None, about: str) -> _Known:
    if file is not None:
        with suppress(OSError, ValidationError):
            known = _Known.model_validate_json(file.read_bytes())
            if known.about == about:
                return known
    return _Known(about=about)


def _write(file: Path, text: str) -> None:
    try:
        rewrite(file, text.encode())
    except OSError as exc:
        logger.warning("what the model's host does not take is not kept: %s", exc)
