"""A model that is asked again when it fails for a cause that may pass.

Retries, the one deadline over all tries, and the translation of every failure
into the three kinds of `ModelError` are here; what a provider's exceptions
mean is told by its `FaultReader`. An answer, or the error, has the tokens of all tries.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from pydantic import PrivateAttr

from gaia.agent.deadline import Deadline
from gaia.agent.faults import Fault, FaultReader, answer_fault
from gaia.agent.health import ModelHealth
from gaia.agent.known_host import AdaptedRequest, KnownHost
from gaia.agent.tokens import TokenCount, with_more
from gaia.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from gaia.ports import Clock

logger = logging.getLogger(__name__)

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0


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

    A try is repeated only while none of its answer was passed on. Exceptions
    that `reader` does not know are bugs and pass through as they are. How long an answer
    took counts for the `health` if somebody `waits` for it.
    """

    _inner: BaseLlm = PrivateAttr()
    _reader: FaultReader = PrivateAttr()
    _patience: Patience = PrivateAttr()
    _clock: Clock = PrivateAttr()
    _chance: Callable[[], float] = PrivateAttr()
    _health: ModelHealth = PrivateAttr()
    _known: KnownHost = PrivateAttr()
    _waits: bool = PrivateAttr()
    _redact: Callable[[str], str] = PrivateAttr()

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
        began, first = self._clock.monotonic(), None
        self._health.asked(self._clock.now())
        try:
            async with (
                Deadline(self._clock, self._patience.timeout_seconds) as deadline,
                self._known.asked(llm_request, stream=stream) as asking,
                aclosing(self._tries(asking, deadline, tokens)) as answer,
            ):
                async for response in answer:
                    if first is None:
                        first = self._clock.monotonic() - began
                    yield response
        except ModelError as exc:
            exc.tokens_in, exc.tokens_out = tokens.total
            self._health.failed(self._clock.now(), str(exc))
            raise
        took = self._clock.monotonic() - began if self._waits else None
        self._health.answered(self._clock.now(), seconds=took, first_seconds=first)

    async def _tries(
        self, asking: AdaptedRequest, deadline: Deadline, tokens: TokenCount
    ) -> AsyncGenerator[LlmResponse, None]:
        tries = 0
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
                if not began and asking.adapt_to(exc.fault.refusal):
                    logger.warning("model %s: %s; asking with less", self.model, exc.fault.bare)
                    tries -= 1
                    continue
                wait = self._wait_before_next(exc.fault, tries, deadline)
                if began or wait is None:
                    raise self._error(exc.fault, tries, broke_off=began) from exc.__cause__
                bare = exc.fault.bare
            else:
                return
            logger.warning("model %s: %s; asking again in %.1f s", self.model, bare, wait)
            await self._bounded_sleep(wait, deadline)

    async def _try(
        self, request: LlmRequest, stream: bool, deadline: Deadline, tokens: TokenCount
    ) -> AsyncGenerator[LlmResponse, None]:
        """One call of the inner model; its failures leave as `_FaultError`."""
        finished = False
        async with aclosing(self._inner.generate_content_async(request, stream)) as answer:
            while True:
                try:
                    response = await deadline.step(anext(answer, None))
                except TimeoutError as exc:
                    if deadline.passed:
                        raise self._timeout() from exc
                    raise _FaultError(Fault("the connection timed out", passing=True)) from exc
                except ModelUnavailableError as exc:
                    raise _FaultError(Fault(str(exc), passing=True)) from exc
                except self._reader.catches as exc:
                    raise _FaultError(self._reader.read(exc, self._clock.now())) from exc
                if response is None:
                    break
                tokens.hear(response)
                if not response.partial:
                    finished = True
                    self._check_whole(response, streamed=stream)
                    response = response.model_copy(
                        update={"error_code": None, "error_message": None}
                    )
                elif response.error_code is not None:
                    continue
                yield response
        if not finished:
            raise _FaultError(_BROKEN_OFF)

    def _check_whole(self, response: LlmResponse, *, streamed: bool) -> None:
        """Raise `_FaultError` unless the closing response is a usable answer."""
        if streamed and not self._reader.is_complete(response):
            raise _FaultError(_BROKEN_OFF)
        fault = answer_fault(response)
        if fault is not None:
            raise _FaultError(fault)

    def _wait_before_next(self, fault: Fault, tries: int, deadline: Deadline) -> float | None:
        """Seconds until the next try, or None when there is to be none."""
        if not fault.passing or tries > self._patience.retries:
            return None
        wait = fault.wait_seconds
        if wait is None:
            wait = self._patience.wait_seconds(tries - 1, self._chance())
        return wait if wait < deadline.seconds_left else None

    async def _bounded_sleep(self, seconds: float, deadline: Deadline) -> None:
        try:
            await deadline.step(self._clock.sleep(seconds))
        except TimeoutError as exc:
            raise self._timeout() from exc

    def _error(self, fault: Fault, tries: int, *, broke_off: bool) -> ModelError:
        message, bare = (
            self._redact(self._message(fault, cause, tries, broke_off=broke_off))
            for cause in (fault.cause, fault.bare)
        )
        error = ModelUnavailableError if fault.passing else fault.error
        return error(message, bare=bare, remedy=fault.remedy)

    def _message(self, fault: Fault, cause: str, tries: int, *, broke_off: bool) -> str:
        if not fault.passing:
            remedy = f" ({fault.remedy})" if fault.remedy else ""
            return f"the model {self.model!r} refused the request: {cause}{remedy}"
        if broke_off:
            return f"the model {self.model!r} broke off midway: {cause}; ask again"
        asks = ""
        if fault.wait_seconds is not None:
            asks = f", and wants {fault.wait_seconds:.0f} s until the next"
        times = "1 try" if tries == 1 else f"{tries} tries"
        return f"the model {self.model!r} did not answer in {times}{asks}: {cause}; ask again later"

    def _timeout(self) -> ModelTimeoutError:
        return ModelTimeoutError(
            f"the model {self.model!r} took longer than {self._patience.timeout_seconds:g} s: "
            "ask again, or raise model.timeout_seconds"
        )


_BROKEN_OFF = Fault("the answer ended before it was complete", passing=True)


class _FaultError(Exception):
    """Carries a fault from the try that met it to where tries are counted."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.cause)
        self.fault = fault
