"""The calls of tools in an answer, as models and hosts write them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from google.genai import types

CLOSING = ("}", "]", '"', "'", "`")
"""How arguments end that were not broken off in the middle of a word."""


@dataclass
class _Call:
    call_id: str = ""
    name: str = ""
    arguments: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are all there; without any, more may follow."""
        try:
            return bool(json.loads(self.arguments))
        except ValueError:
            return False

    def is_followed_by(self, call_id: str, arguments: str) -> bool:
        """Whether a piece is of another call: some hosts give several one index."""
        has_other_id = bool(call_id and self.call_id) and call_id != self.call_id
        return has_other_id or (arguments.lstrip().startswith("{") and self.is_complete)


class WrittenCalls:
    """Collects calls from the pieces of an answer. Each gets an id of its own, which none
    of the `taken_ids` of the conversation is: results are told apart by them."""

    def __init__(self, taken_ids: Collection[str | None]) -> None:
        self._taken = set(taken_ids)
        self._calls: list[_Call] = []
        self._open: dict[object, _Call] = {}

    def take(self, pieces: object) -> None:
        """Take the calls in a piece: of a whole answer all, of a stream the next bits."""
        for position, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            if isinstance(piece, dict):
                self._take(piece.get("index", position), piece)

    def _take(self, index: object, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        call_id, call = piece.get("id") or "", self._open.get(index)
        if call and arguments and call.arguments == arguments and call_id in ("", call.call_id):
            return  # Some hosts end with the whole of a call once more.
        if call is None or call.is_followed_by(call_id, arguments):
            call = _Call(name=call.name if call else "")
            self._calls.append(call)
            self._open[index] = call
        call.call_id = call_id or call.call_id
        call.name = function.get("name") or call.name
        call.arguments += arguments

    def parts(self, *, is_cut: bool) -> list[types.Part]:
        """The calls. Of an answer that `is_cut` the last one counts only if it is complete."""
        calls = [call for call in self._calls if call.name]
        if is_cut and calls and not calls[-1].is_complete:
            calls = calls[:-1]
        return [
            types.Part(
                function_call=types.FunctionCall(
                    id=self._own_id(call.call_id), name=call.name, args=decoded(call.arguments)
                )
            )
            for call in calls
        ]

    def _own_id(self, call_id: str) -> str:
        own = call_id if call_id and call_id not in self._taken else f"call_{uuid4().hex}"
        self._taken.add(own)
        return own


def decoded(arguments: str) -> dict[str, Any]:
    """The arguments of a call: an object, also when it is broken, within a list, or JSON in
    a string. Of what is none, or breaks off, nothing is left, and the tool says what it
    misses."""
    try:
        value = json.loads(arguments)
    except ValueError:
        import json_repair

        is_closed = arguments.rstrip().endswith(CLOSING)
        value = json_repair.loads(arguments) if is_closed else None
    if isinstance(value, str) and value != arguments:
        return decoded(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}
