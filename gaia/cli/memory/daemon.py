"""What only a running daemon can do with memory: it alone opens the vector index."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gaia.cli.memory.progress import Told
    from gaia.ops.memory_report import SearchReport
    from gaia.paths import Home

SEARCH_SECONDS = 20.0


def search(home: Home, user_id: str, words: str, limit: int) -> SearchReport:
    """What a running daemon finds.

    Raises:
        NotRunningError: None runs, or it does not answer.
        WireError: It is of another version.
    """
    from gaia.cli.control import asking
    from gaia.ops.memory_report import SEARCH_PATH, SearchQuestion, SearchReport

    question = SearchQuestion(user_id=user_id, words=words, limit=limit)
    with asking(home, SEARCH_PATH, question.model_dump_json(), SEARCH_SECONDS) as answer:
        return SearchReport.model_validate_json(answer.read())


def reindex(home: Home, progress: Told) -> None:
    """Have a running daemon index all memories anew, and return when that is done.

    Raises:
        NotRunningError: None runs, or it ended meanwhile.
        IndexUnavailableError: It cannot be done for now.
        WireError: The daemon is of another version.
    """
    from gaia.cli.control import asking
    from gaia.errors import IndexUnavailableError, NotRunningError
    from gaia.ops.memory_report import REINDEX_PATH, ReindexStep

    with asking(home, REINDEX_PATH, "", None) as answer:
        for line in answer:
            step = ReindexStep.model_validate_json(line)
            if step.error:
                raise IndexUnavailableError(step.error)
            if step.finished:
                return
            progress(step.done, step.total)
    raise NotRunningError("gaia ended before all was indexed: its next start goes on with it")
