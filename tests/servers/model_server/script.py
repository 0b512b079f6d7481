"""What a test wants the server to do: a script of steps, the same in Python and in JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Seconds = Annotated[float, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedCall(_Part):
    """A tool call for the model to make."""

    name: str
    args: dict[str, JsonValue] = Field(default_factory=dict)


class Step(_Part):
    """How the next `times` requests are met; None is for good.

    Without `text` and `call` the server answers by itself, see `conversation`.
    """

    times: Annotated[int, Field(ge=1)] | None = 1
    text: str | None = None
    call: ScriptedCall | None = None
    status: Annotated[int, Field(ge=400, le=599)] | None = None
    """Answer with this HTTP error."""
    retry_after: str = ""
    """The error's `Retry-After` header: seconds, or a date."""
    latency_seconds: Seconds = 0.0
    chunk_seconds: Seconds = 0.0
    """The pause before each chunk of a stream."""
    hang: bool = False
    """Never answer."""
    garbled: bool = False
    """Answer with what is not JSON."""
    blocked: bool = False
    """Answer that the safety filter refused."""
    cut: bool = False
    """Answer that the limit of tokens ended it."""
    cut_after: Annotated[int, Field(ge=0)] | None = None
    """Drop the connection of a stream after so many chunks."""
    end_after: Annotated[int, Field(ge=0)] | None = None
    """End a stream early after so many chunks, without an error."""


class Script(_Part):
    """The steps in order, and the key that requests must carry (any when empty)."""

    api_key: str = ""
    steps: tuple[Step, ...] = ()


class ScriptReader:
    """Hands out the steps of a script, one a request; a plain one when none is left."""

    def __init__(self, script: Script) -> None:
        self.api_key = script.api_key
        self._steps = list(script.steps)

    def next_step(self) -> Step:
        if not self._steps:
            return Step()
        step = self._steps[0]
        if step.times is None:
            return step
        if step.times == 1:
            self._steps.pop(0)
        else:
            self._steps[0] = step.model_copy(update={"times": step.times - 1})
        return step
