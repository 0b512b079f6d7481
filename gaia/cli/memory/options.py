"""Options that the commands of `gaia memory` share, and the enums behind them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class KindName(StrEnum):
    """The kinds of `gaia.store.memory_tables.MemoryKind`, without what that imports."""

    FACT = "fact"
    PREFERENCE = "preference"
    RULE = "rule"
    EPISODE = "episode"
    REMINDER = "reminder"
    NOTE = "note"


class FormatName(StrEnum):
    """The formats of `gaia.memory.transfer.taking_in.FileFormat`, likewise."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
OfUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        "-u",
        metavar="NAME",
        help="Whose memory, by name or id; a group has one too.",
        show_default="the only person",
    ),
]
