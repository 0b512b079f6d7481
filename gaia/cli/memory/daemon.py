"""What only a running daemon can do with memory: it alone opens the vector index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from gaia.cli.memory.progress import Told
    from gaia.ops.memory_report import SearchReport
    from gaia.paths import Home

CONNECT_SECONDS = 5.0
SEARCH_SECONDS = 20.0


def search(home: Home, user_id: str, words: str, limit: int) -> SearchReport:
    """What a running daemon finds.

    Raises:
        NotRunningError: None runs, or it does not answer.
        WireError: It is of another version.
    """
    from gaia.ops.memory_report import SearchQuestion, SearchReport

    question = SearchQuestion(user_id=user_id, words=words, limit=limit)
    with _asking(home, "search", question.model_dump_json(), SEARCH_SECONDS) as answer:
        return SearchReport.model_validate_json(answer.read())


def reindex(home: Home, progress: Told) -> None:
    """Have a running daemon index all memories anew, and return when that is done.

    Raises:
        NotRunningError: None runs, or it ended meanwhile.
        IndexUnavailableError: It cannot be done for now.
        WireError: The daemon is of another version.
    """
    from gaia.errors import IndexUnavailableError, NotRunningError
    from gaia.ops.memory_report import ReindexStep

    with _asking(home, "reindex", "", None) as answer:
        for line in answer.iter_lines():
            step = ReindexStep.model_validate_json(line)
            if step.error:
                raise IndexUnavailableError(step.error)
            if step.finished:
                return
            progress(step.done, step.total)
    raise NotRunningError("gaia ended before all was indexed: its next start goes on with it")


@contextmanager
def _asking(
    home: Home, what: str, body: str, read_seconds: float | None
) -> Iterator[httpx.Response]:
    import httpx

    from gaia.cli.control import is_served
    from gaia.errors import NotRunningError, WireError

    not_running = NotRunningError(
        f"gaia does not run in {str(home.root)!r}, or does not answer: start it with 'gaia serve'"
    )
    if not is_served(home):
        raise not_running
    transport = httpx.HTTPTransport(uds=str(home.control_socket))
    timeout = httpx.Timeout(CONNECT_SECONDS, read=read_seconds)
    try:
        with (
            httpx.Client(transport=transport, timeout=timeout) as client,
            client.stream("POST", f"http://gaia/local/memory/{what}", content=body) as answer,
        ):
            if answer.is_error:
                answer.read()
                answer.raise_for_status()
            yield answer
    except httpx.TransportError as exc:
        raise not_running from exc
    except (httpx.HTTPStatusError, ValueError) as exc:
        raise WireError(
            f"the gaia that runs in {str(home.root)!r} gave an answer that this one does not "
            "understand: restart it, so that both are of the same version"
        ) from exc
