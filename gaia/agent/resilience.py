"""A model that is asked again when it fails for a cause that may pass.

Retries, the one deadline over all tries, and the translation of every failure into a
`ModelError` are here; what a provider's exceptions mean, its `FaultReader` tells. An answer,
or the error, has the tokens of all tries.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.faults import EMPTY, GARBLED, NO_ROOM, Fault, FaultReader, answer_fault
from gaia.agent.health import ModelHealth
from gaia.agent.known_host import AdaptedRequest, KnownHost
from gaia.agent.responses import (
    Speech,
    TokenCount,
    said_in,
    unopened_thought,
    with_more,
    without_thoughts,
)
from gaia.bounded_http import causes
from gaia.clock import Deadline
from gaia.errors import (
    EndlessAnswerError,
    GaiaError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from gaia.ports import Clock

T = TypeVar("T")

logger = logging.getLogger(__name__)

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
_BROKEN_OFF = Fault("the answer ended before it was complete", passing=True)
CUT_MARK = "[…]"
"""Ends an answer that was cut off: who reads it may ask the model to go on."""

ANSWER_CHARACTERS = 300_000
"""A longer answer is cut off: the longest that models write have 64,000 tokens."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often a model is tried."""

    timeout_seconds: float
    """Bounds the whole call: all tries, and the waits between them."""
    retries: int

    def wait_seconds(self, retry: int, chance: float) -> float:
        """The wait before the `retry`-th retry (from 0): it doubles, between
        half of it and all of it by `chance` in [0, 1)."""
        longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**retry)
        return longest * (0.5 + chance / 2)


class ResilientLlm(BaseLlm):
    """Wraps a model: retries, one deadline, and `ModelError` for every failure.

    A try is repeated only while none of its answer was passed on. Whatever is raised while
    an answer is read, and is no failure that `reader` knows, is a garbled answer. What the
    model thinks is passed on to nobody. How long an answer took counts for the `health` if
    somebody `waits` for it.
    """

    _inner: BaseLlm
    _reader: FaultReader
    _patience: Patience
    _clock: Clock
    _chance: Callable[[], float]
    _health: ModelHealth
    _known: KnownHost
    _waits: bool
    _leaves_thoughts_unopened: bool = False
    """Whether its answers have been seen to begin with a thought without a tag."""
    _redact: Callable[[str], str]

    def __init__(
        self,
        inner: BaseLlm,
        *,
        reader: FaultReader,
        patience: Patience,
        clock: Clock,
        chance: Callable[[], float],
        health: ModelHealth,
        known: KnownHost | None = None,
        waits: bool = True,
        redact: Callable[[str], str] = str,
    ) -> None:
        super().__init__(model=inner.model)
        self._inner = inner
        self._reader = reader
        self._patience = patience
        self._clock = clock
        self._chance = chance
        self._health = health
        self._known = known or KnownHost(clock)
        self._waits = waits
        self._redact = redact

    @property
    def capabilities(self) -> LlmCapabilities:
        return self._inner.capabilities

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the inner model's answer.

        Raises:
            ModelUnavailableError: It did not answer, or broke off midway.
            ModelTimeoutError: The deadline passed.
            ModelRefusedError: It will not answer this request.
        """
        tokens = TokenCount()
        began = self._clock.monotonic()
        self._health.asked(self._clock.now())
        try:
            async with (
                Deadline(self._clock, self._patience.timeout_seconds) as deadline,
                self._known.asked(llm_request, stream=stream) as asking,
                aclosing(self._tries(asking, deadline, tokens)) as answer,
            ):
                async for response in answer:
                    yield response
        except ModelError as exc:
            exc.tokens_in, exc.tokens_out = tokens.total
            self._health.failed(self._clock.now(), str(exc))
            raise
        took = self._clock.monotonic() - began if self._waits else None
        self._health.answered(took)

    async def _tries(
        self, asking: AdaptedRequest, deadline: Deadline, tokens: TokenCount
    ) -> AsyncGenerator[LlmResponse, None]:
        tries, was_empty = 0, False
        while True:
            tries += 1
            began = False
            tokens.begin()
            try:
                asked = self._try(asking.request, asking.stream, deadline, tokens)
                async with aclosing(asked) as answer:
                    async for response in answer:
                        began = True
                        yield with_more(response, tokens.before)
            except _FaultError as exc:
                fault, cause = exc.fault, exc.__cause__
            else:
                return
            if fault in (EMPTY, NO_ROOM) and not was_empty:
                was_empty = True
                if fault is NO_ROOM:
                    asking.make_room()
                logger.warning("model %s: %s; asking again", self.model, fault.bare)
            elif not began and asking.adapt_to(fault.refusal):
                tries -= 1
                logger.warning("model %s: %s; asking with less", self.model, fault.bare)
            else:
                wait = self._wait_before_next(fault, tries, deadline)
                if began or wait is None:
                    raise self._error(fault, tries, broke_off=began) from cause
                logger.warning("model %s: %s; asking again in %.1f s", self.model, fault.bare, wait)
                await self._step(deadline, self._clock.sleep(wait))

    async def _try(
        self, request: LlmRequest, stream: bool, deadline: Deadline, tokens: TokenCount
    ) -> AsyncGenerator[LlmResponse, None]:
        """One call of the inner model; its failures leave as `_FaultError`."""
        spoken: list[str] = []
        finished, characters = False, 0
        speech = Speech(begins_with_thought=self._leaves_thoughts_unopened)
        async with aclosing(self._inner.generate_content_async(request, stream)) as answer:
            while True:
                try:
                    response = await self._step(deadline, anext(answer, None))
                except TimeoutError as exc:
                    raise _FaultError(Fault("the connection timed out", passing=True)) from exc
                except ModelUnavailableError as exc:
                    raise _FaultError(Fault(str(exc), passing=True)) from exc
                except EndlessAnswerError as exc:
                    raise _FaultError(self._fault(exc)) from exc
                except GaiaError:
                    raise
                except Exception as exc:
                    raise _FaultError(self._fault(exc)) from exc
                if response is None:
                    break
                tokens.hear(response)
                if not response.partial:
                    finished = True
                    yield self._whole(response, streamed=stream)
                elif said := speech.take(said_in(response)):
                    yield LlmResponse(content=types.ModelContent(said), partial=True)
                    spoken.append(said)
                    characters += len(said)
                    if characters > ANSWER_CHARACTERS:
                        yield _cut_off("".join(spoken))
                        return
        if not finished:
            raise _FaultError(_BROKEN_OFF)

    def _fault(self, error: Exception) -> Fault:
        """What a try failed of."""
        endless = next((e for e in causes(error) if isinstance(e, EndlessAnswerError)), None)
        if endless is not None:
            return Fault(str(endless), passing=False, error=EndlessAnswerError)
        fault = self._reader.read(error, self._clock.now())
        if fault is GARBLED:
            # What it says may have words of the answer in it.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.warning("model %s: %s\n%s", self.model, type(error).__name__, where)
        return fault

    def _whole(self, response: LlmResponse, *, streamed: bool) -> LlmResponse:
        """The closing response as it is passed on. Raises `_FaultError` unless it is an answer."""
        if streamed and not self._reader.is_complete(response):
            raise _FaultError(_BROKEN_OFF)
        self._leaves_thoughts_unopened |= bool(unopened_thought(said_in(response)))
        response = without_thoughts(response)
        fault = answer_fault(response)
        if fault is not None:
            raise _FaultError(fault)
        if len(said := said_in(response)) > ANSWER_CHARACTERS:
            return _cut_off(said, response)
        if response.finish_reason is types.FinishReason.MAX_TOKENS:
            response = marked_as_cut(response)
        return response.model_copy(update={"error_code": None, "error_message": None})

    def _wait_before_next(self, fault: Fault, tries: int, deadline: Deadline) -> float | None:
        """Seconds until the next try, or None when there is to be none."""
        if not fault.passing or tries > self._patience.retries:
            return None
        wait = fault.wait_seconds
        if wait is None:
            wait = self._patience.wait_seconds(tries - 1, self._chance())
        return wait if wait < deadline.seconds_left else None

    async def _step(self, deadline: Deadline, work: Awaitable[T]) -> T:
        try:
            return await deadline.step(work)
        except TimeoutError as exc:
            if not deadline.passed:
                raise
            raise ModelTimeoutError(
                f"the model {self.model!r} took longer than {self._patience.timeout_seconds:g} s: "
                "ask again, or raise model.timeout_seconds"
            ) from exc

    def _error(self, fault: Fault, tries: int, *, broke_off: bool) -> ModelError:
        message, bare = (
            self._redact(self._message(fault, cause, tries, broke_off=broke_off))
            for cause in (fault.cause, fault.bare)
        )
        error = ModelUnavailableError if fault.passing else fault.error
        return error(message, bare=bare, remedy=fault.remedy)

    def _message(self, fault: Fault, cause: str, tries: int, *, broke_off: bool) -> str:
        if not fault.passing:
            failing = "refused the request"
            if fault in (EMPTY, NO_ROOM):
                failing = "gave no answer"
            elif fault.error is EndlessAnswerError:
                failing = "came to no end"
            elif fault.error is ModelUnreachableError:
                failing = "cannot be reached"
            remedy = f" ({fault.remedy})" if fault.remedy else ""
            return f"the model {self.model!r} {failing}: {cause}{remedy}"
        if broke_off:
            return f"the model {self.model!r} broke off midway: {cause}; ask again"
        asks = ""
        if fault.wait_seconds is not None:
            asks = f", and wants {fault.wait_seconds:.0f} s until the next"
        times = "1 try" if tries == 1 else f"{tries} tries"
        return f"the model {self.model!r} did not answer in {times}{asks}: {cause}; ask again later"


def _cut_off(said: str, response: LlmResponse | None = None) -> LlmResponse:
    """The answer that begins with `said` and is too long, as a closing response."""
    content = types.ModelContent(said[:ANSWER_CHARACTERS])
    cut = {"content": content, "finish_reason": types.FinishReason.MAX_TOKENS}
    return marked_as_cut((response or LlmResponse()).model_copy(update=cut))


def marked_as_cut(response: LlmResponse) -> LlmResponse:
    """The answer with a mark at the end of its text, for it has no end."""
    parts = (response.content and response.content.parts) or []
    if not parts or not parts[-1].text:
        return response
    marked = [*parts[:-1], types.Part(text=f"{parts[-1].text.rstrip()} {CUT_MARK}")]
    return response.model_copy(update={"content": types.ModelContent(marked)})


class _FaultError(Exception):
    """Carries a fault from the try that met it to where tries are counted."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.cause)
        self.fault = fault
