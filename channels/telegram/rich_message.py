"""The words of a rich message: of headings, lists, tables and quotes, as other bots send them and
people forward them.

The library does not know them yet: they are read as Telegram tells them. What a newer Telegram
has in them is passed over, but for the words that stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from telegram import Message

MEDIA = ("animation", "audio", "document", "map", "photo", "video", "voice_note")
"""The types of blocks of which there is a name to tell, and maybe a caption."""

_INLINE = ("summary", "text", "alternative_text", "expression")
_BLOCKS = ("blocks", "items")
_BELOW = ("caption", "credit")


def rich_words(message: Message) -> str:
    """Return the words of a message that is a rich one, a line for each of its parts; nothing
    for any other."""
    rich = message.to_dict().get("rich_message")
    return "\n".join(_lines(rich.get("blocks"))) if isinstance(rich, dict) else ""


def _lines(blocks: object) -> Iterator[str]:
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") in MEDIA:
            yield f"({str(block['type']).replace('_', ' ')})"
        if "label" in block:
            yield _item(block)
            continue
        if words := _inline({name: block[name] for name in _INLINE if name in block}):
            yield words
        yield from _rows(block.get("cells"))
        for name in _BLOCKS:
            yield from _lines(block.get(name))
        for name in _BELOW:
            if words := _inline(block.get(name)):
                yield words


def _item(item: dict[str, object]) -> str:
    """Return a point of a list, behind its number or sign."""
    box = ("[x]" if item.get("is_checked") else "[ ]") if item.get("has_checkbox") else ""
    return " ".join(
        filter(None, (_inline(item["label"]), box, "\n".join(_lines(item.get("blocks")))))
    )


def _rows(rows: object) -> Iterator[str]:
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, list):
            yield " | ".join(_inline(cell) for cell in row)


def _inline(text: object) -> str:
    """Return the words of a text, which is one, several in a row, or one with a look; of a link
    with its address."""
    match text:
        case str():
            return text
        case list():
            return "".join(_inline(each) for each in text)
        case {"type": "url", "url": str(url), "text": within}:
            label = _inline(within)
            return label if label.strip() in (url, url.rstrip("/")) else f"{label} ({url})"
        case dict():
            parts = (_inline(text.get(name)) for name in (*_INLINE, *_BELOW))
            return " ".join(filter(None, parts))
    return ""
