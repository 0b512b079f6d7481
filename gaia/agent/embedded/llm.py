"""The embedded model as ADK sees it: a request goes in, responses come out.

The process speaks OpenAI's protocol, and is asked as any other host is that does. What a
small model gets wrong is done for it: a message that is a sum is worked out, and an answer
that is the one before over again is asked for once more. It imitates its own answers, and
one that once was said to two messages would be said to all that follow.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress

import httpx
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.conversation import Bounds, fitting, own_words, words
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.agent.remote.completions import CompletionsLlm
from gaia.agent.remote.errors import HostError
from gaia.agent.responses import used_tokens, with_more
from gaia.agent.tools.calculator import calculate
from gaia.errors import ModelUnavailableError
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import EmbeddedSettings
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights

# What is 17 times 23?      1234 * 56 =      Was sind 20 % von 150?
OPERATORS = {
    "+": r" ?\+ ?| plus | más | più | mais ",
    "*": r" ?[*×·x] ?| times | mal | fois | por | per | vezes ",  # noqa: RUF001
    "/": r" ?÷ ?| divided by | geteilt durch | divisé par | dividido por | diviso ",
    "-": r" minus | menos | moins | meno ",
}
"""What stands between two numbers of a sum, whatever stands before them."""
BARE_OPERATORS = {"-": " [-−] ", "/": " / "}  # noqa: RUF001
"""The same where nothing stands before them: else they are ranges and dates."""

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_QUESTION = r"¿? ?(?:[^\W\d]+(?:['\u2019][^\W\d]+)?[,:]? ){1,4}"
_END = r"(?: ?[=?])*"
_SHARE = re.compile(rf"(?:{_QUESTION})?(?P<sum>({_NUMBER}) ?% [^\W\d]{{1,5}} ({_NUMBER})){_END}")


def _sum_pattern(before: str, operators: str) -> re.Pattern[str]:
    return re.compile(rf"{before}(?P<sum>{_NUMBER}(?:(?:{operators}){_NUMBER})+){_END}")


_IN_WORDS = _sum_pattern(_QUESTION, "|".join(OPERATORS.values()))
_BARE = _sum_pattern("", "|".join([*OPERATORS.values(), *BARE_OPERATORS.values()]))

Ask = Callable[[LlmRequest], AsyncGenerator[LlmResponse, None]]


def connect(name: str, settings: EmbeddedSettings, home: Home, clock: Clock) -> EmbeddedLlm:
    """The model called `name`; its process starts with the first request.

    Raises:
        ModelMissingError: The catalogue has no such model, or it is not installed.
    """
    model, weights = find_model(name), Weights(home.models)
    weights.require(model)
    launch = Launch(
        model=model,
        weights=weights,
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        log=home.logs / "embedded.log",
    )
    server = EmbeddedServer(launch, clock=clock, idle_seconds=settings.idle_minutes * 60)
    return EmbeddedLlm(name, server, Bounds(settings.context_tokens, settings.max_reply_tokens))


class EmbeddedLlm(BaseLlm):
    """A model of the catalogue in a process of its own. Its owner calls `close` once."""

    _server: EmbeddedServer
    _bounds: Bounds

    def __init__(self, name: str, server: EmbeddedServer, bounds: Bounds) -> None:
        super().__init__(model=name)
        self._server = server
        self._bounds = bounds

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities(output_schema_and_tools=False)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer: pieces of its text if `stream`, then all of it.

        Raises:
            ModelMissingError: The model is not installed.
            ModelUnavailableError: Its process does not start, or broke off.
            HostError: It refused the request.
        """
        said = own_words(llm_request.contents[-1]) if llm_request.contents else ""
        if (result := worked_out(said)) is not None:
            finish = types.FinishReason.STOP
            yield LlmResponse(content=types.ModelContent(result), finish_reason=finish)
            return
        request = await asyncio.to_thread(fitting, llm_request, self._bounds)
        async with aclosing(unrepeated(request, lambda one: self._ask(one, stream))) as answer:
            async for response in answer:
                yield response

    async def warm(self, llm_request: LlmRequest) -> None:
        """Start the process and let it read what requests like this begin with.

        Raises:
            ModelError: As for an answer.
        """
        request = await asyncio.to_thread(fitting, llm_request, self._bounds)
        request.config.max_output_tokens = 1
        # What it refuses now it refuses again when it is asked, and that is told.
        with suppress(HostError):
            async with aclosing(self._ask(request, stream=False)) as answer:
                async for _ in answer:
                    pass

    async def close(self) -> None:
        """Stop the process. Idempotent."""
        await self._server.close()

    async def _ask(self, request: LlmRequest, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """One request. Leaving the loop early makes the process give it up."""
        try:
            async with self._server.client() as client:
                llm = CompletionsLlm(self.model, client)
                async with aclosing(llm.generate_content_async(request, stream)) as answer:
                    async for response in answer:
                        yield response
        except httpx.HTTPError as exc:
            raise ModelUnavailableError(
                f"the embedded model's process broke off ({type(exc).__name__}); it is started "
                "again for the next request"
            ) from exc


def worked_out(message: str) -> str | None:
    """The sum of a message and what it comes to, as `17 times 23 = 391`; None for any other
    message, and for a sum that has no result."""
    said = " ".join(message.lower().split())
    if share := _SHARE.fullmatch(said):
        return _told_sum(share["sum"], f"{share[2]} * {share[3]} / 100")
    found = _BARE.fullmatch(said) or _IN_WORDS.fullmatch(said)
    if found is None:
        return None
    expression = found["sum"]
    for sign, pattern in (*BARE_OPERATORS.items(), *OPERATORS.items()):
        expression = re.sub(pattern, f" {sign} ", expression)
    return _told_sum(found["sum"], expression)


def _told_sum(said: str, expression: str) -> str | None:
    result = calculate(expression).get("result")
    return None if result is None else f"{said} = {result}"


async def unrepeated(request: LlmRequest, ask: Ask) -> AsyncGenerator[LlmResponse, None]:
    """Yield the answer of `ask`, asked a second time if the first answer is the one before
    over again. A streamed answer is held back for as long as it may still become that."""
    last = _last_answer(request.contents)
    held: list[LlmResponse] = []
    said = ""
    async with aclosing(ask(request)) as answer:
        async for response in answer:
            held.append(response)
            text = words(response.content) if response.content else ""
            said = said + text if response.partial else text
            may_repeat = last.startswith(said.strip()) if response.partial else said.strip() == last
            if last and may_repeat:
                continue
            for each in held:
                yield each
            held, last = [], ""
    if not held:
        return
    async with aclosing(ask(_without(request, last))) as answer:
        async for response in answer:
            yield with_more(response, used_tokens(held[-1]))


def _last_answer(contents: Sequence[types.Content]) -> str:
    """The answer that must not be given again: the last one, to another message than the
    present one. Empty if there is none."""
    for position in reversed(range(1, len(contents))):
        if contents[position].role == "model":
            asked_before = own_words(contents[position - 1]).strip()
            is_other = asked_before != own_words(contents[-1]).strip()
            return words(contents[position]).strip() if is_other else ""
    return ""


def _without(request: LlmRequest, answer: str) -> LlmRequest:
    kept = [
        content
        for content in request.contents
        if content.role != "model" or words(content).strip() != answer
    ]
    return request.model_copy(update={"contents": kept})
