from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.terminal_wire import (
    MESSAGE_CHARACTERS,
    ChunkFrame,
    DeliveredFrame,
    MessageFrame,
    decode_client_frame,
    decode_server_frame,
    encode,
)
from gaia.errors import WireError


@given(st.text(), st.booleans())
def test_a_message_survives_the_wire(text: str, wants_preview: bool) -> None:
    frame = MessageFrame(client_message_id="m1", text=text, wants_preview=wants_preview)
    assert decode_client_frame(encode(frame)) == frame


@given(st.text(), st.lists(st.text()))
def test_a_chunk_survives_the_wire(text: str, answered: list[str]) -> None:
    frame = ChunkFrame(
        outbox_id=7, text=text, seq=0, final=True, turn_id=None, in_reply_to=tuple(answered)
    )
    assert decode_server_frame(encode(frame)) == frame


def test_fields_of_a_newer_version_are_ignored() -> None:
    text = json.dumps({"kind": "delivered", "outbox_id": 3, "mood": "good"})
    assert decode_client_frame(text) == DeliveredFrame(outbox_id=3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        '{"kind": "dance"}',
        '{"outbox_id": 3}',
        '{"kind": "delivered"}',
        '{"kind": "chunk", "outbox_id": 1}',
        json.dumps(
            {
                "kind": "message",
                "client_message_id": "m1",
                "text": "x" * (MESSAGE_CHARACTERS + 1),
                "wants_preview": False,
            }
        ),
    ],
)
def test_what_is_no_frame_of_a_client_is_an_error(text: str) -> None:
    with pytest.raises(WireError, match="terminal's client"):
        decode_client_frame(text)


def test_an_unreadable_frame_is_not_quoted_in_the_error() -> None:
    with pytest.raises(WireError) as caught:
        decode_client_frame('{"kind": "message", "text": "my secret"}')
    assert "my secret" not in str(caught.value)


def test_the_longest_message_fits_into_what_uvicorn_reads() -> None:
    frame = MessageFrame(
        client_message_id="m1", text="\x01" * MESSAGE_CHARACTERS, wants_preview=False
    )
    assert len(encode(frame).encode()) < 16 * 2**20
