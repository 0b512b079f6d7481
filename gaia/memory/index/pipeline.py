"""mem0's own pipeline over parts that live as long as one window: it reads, and what it
would store is caught. Loads mem0.

The pipeline takes an answer that it cannot read for one that found nothing. Its model
is wrapped here, so that whoever asked it can tell the two apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mem0.configs.base import MemoryConfig  # type: ignore[import-untyped]
from mem0.memory.main import Memory  # type: ignore[import-untyped]
from mem0.memory.storage import SQLiteManager  # type: ignore[import-untyped]
from mem0.memory.utils import extract_json, remove_code_blocks  # type: ignore[import-untyped]

from gaia.errors import UnusableExtractionError
from gaia.memory.index.factories import Llm

NOWHERE = ":memory:"
"""Where mem0's history lies: SQLite's name for a database without a file."""
ASSISTANT = "assistant"
NOBODY_ELSE = "window"
"""The user's id inside of the pipeline, which knows of no other."""


def read(
    messages: Sequence[Mapping[str, str]],
    known: Sequence[str],
    instructions: str,
    llm: Llm,
) -> Sequence[str]:
    """What mem0 finds in messages of the roles `user` and `assistant`, beyond what is known,
    and without what it has from the assistant. Blocks until the model has answered.

    Raises:
        UnusableExtractionError: mem0 cannot read the model's answer.
    """
    model = _Model(llm)
    pipeline = _Pipeline(known, instructions, model)
    try:
        pipeline.add([dict(each) for each in messages], user_id=NOBODY_ELSE, infer=True)
    finally:
        pipeline.close()
        if model.failure is not None:
            raise model.failure
    return [
        payload["data"]
        for payload in pipeline.vector_store.stored
        if payload.get("attributed_to") != ASSISTANT
    ]


class _Pipeline(Memory):  # type: ignore[misc]
    """mem0's `Memory`, with parts that it is given and does not make."""

    def __init__(self, known: Sequence[str], instructions: str, model: _Model) -> None:
        self.config = MemoryConfig(history_db_path=NOWHERE)
        self.embedding_model = _NoVectors()
        self.vector_store = _Known(known)
        self.llm = model
        self.db = SQLiteManager(NOWHERE)
        self.collection_name = NOBODY_ELSE
        self.api_version = self.config.version
        self.custom_instructions = instructions
        self.reranker = None
        self._entity_store = _Known(())


class _Model:
    """mem0's model, whose answers are read as the pipeline reads them before it may."""

    def __init__(self, llm: Llm) -> None:
        self._llm = llm
        self.failure: BaseException | None = None

    def generate_response(
        self,
        messages: Sequence[Mapping[str, str]],
        response_format: Mapping[str, str] | None = None,
    ) -> str:
        try:
            answer = self._llm.generate_response(messages, response_format)
            _check(answer)
        except BaseException as exc:
            # The pipeline makes an error of its own of some, and nothing of others.
            self.failure = exc
            raise
        return answer


def _check(answer: str) -> None:
    text = remove_code_blocks(answer)
    try:
        told = json.loads(text, strict=False)
    except json.JSONDecodeError:
        told = _embedded_json(text)
    found = told.get("memory") if isinstance(told, dict) else None
    if not isinstance(found, list) or not all(_is_statement(each) for each in found):
        raise UnusableExtractionError(
            "the model's answer is no JSON with a list 'memory' of texts, as mem0 asks for: "
            "it is asked again"
        )


def _embedded_json(text: str) -> object:
    try:
        return json.loads(extract_json(text), strict=False)
    except (ValueError, TypeError):
        return None


def _is_statement(found: object) -> bool:
    return isinstance(found, dict) and isinstance(found.get("text"), str)


class _NoVectors:
    """An embedder for which all texts are the same: what is known was searched before."""

    def embed(self, text: str, memory_action: str) -> Sequence[float]:
        return [1.0]

    def embed_batch(self, texts: Sequence[str], memory_action: str) -> Sequence[Sequence[float]]:
        return [[1.0] for _ in texts]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a store of mem0."""

    id: str
    payload: Mapping[str, Any]
    score: float = 0.0


@dataclass(slots=True)
class _Known:
    """A store that finds what is known, whatever is asked, and catches what is stored."""

    known: Sequence[str]
    stored: list[Mapping[str, Any]] = field(default_factory=list)

    def search(self, **_: Any) -> Sequence[_Row]:
        return [_Row(str(number), {"data": text}) for number, text in enumerate(self.known)]

    def search_batch(self, queries: Sequence[str], **_: Any) -> Sequence[Sequence[_Row]]:
        return [[] for _ in queries]

    def list(self, **_: Any) -> Sequence[Sequence[_Row]]:
        return [[]]

    def insert(self, payloads: Sequence[Mapping[str, Any]], **_: Any) -> None:
        self.stored.extend(payloads)

    def update(self, **_: Any) -> None:
        """Nothing stored here is looked at again."""
