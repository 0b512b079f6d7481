"""The tokens of model calls, as providers count them: also of tries that failed."""

from __future__ import annotations

from google.adk.models.llm_response import LlmResponse

from gaia.errors import InVainError


def used_tokens(response: LlmResponse) -> tuple[int, int]:
    """The tokens of a request and of its whole answer, as the provider counts them."""
    used = response.usage_metadata
    if used is None:
        return 0, 0
    prompt, total = used.prompt_token_count or 0, used.total_token_count or 0
    # The total tells more than the candidates: it has the thoughts in it.
    return prompt, max(total - prompt, used.candidates_token_count or 0)


class TokenCount:
    """Adds up what is told of several calls, or of several tries of one.

    A provider may tell of a call with each piece of its answer, the later ones more: the
    last one counts. What it tells nobody, as of most failures, is not counted.
    """

    def __init__(self) -> None:
        self.before = (0, 0)
        """In and out, of all but the present call."""
        self._present = (0, 0)

    @property
    def total(self) -> tuple[int, int]:
        """In and out, of all calls."""
        return _sum(self.before, self._present)

    def begin(self) -> None:
        """Say that another call begins."""
        self.before, self._present = self.total, (0, 0)

    def hear(self, response: LlmResponse) -> None:
        """Take what an answer, or a piece of one, tells of the present call."""
        if response.usage_metadata is not None:
            self._present = used_tokens(response)

    def hear_error(self, error: Exception) -> None:
        """Take what an error tells of the present call: it knows of all its tries."""
        if isinstance(error, InVainError):
            self._present = (error.tokens_in, error.tokens_out)


def with_more(response: LlmResponse, more: tuple[int, int]) -> LlmResponse:
    """The response, which costs so many tokens in and out on top."""
    used = response.usage_metadata
    if used is None or more == (0, 0):
        return response
    tokens_in, tokens_out = _sum(used_tokens(response), more)
    changed = used.model_copy(
        update={
            "prompt_token_count": tokens_in,
            "candidates_token_count": (used.candidates_token_count or 0) + more[1],
            "total_token_count": tokens_in + tokens_out,
        }
    )
    return response.model_copy(update={"usage_metadata": changed})


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
