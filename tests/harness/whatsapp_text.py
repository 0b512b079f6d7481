"""What a person sees of a message with WhatsApp's marks."""

from __future__ import annotations

import re

from channels.formatting.whatsapp_text import CODE, JOINER, LONG_CODE

_QUOTE = "> "
_CODE_OR_QUOTE = re.compile(
    rf"{LONG_CODE}(.+?){LONG_CODE}|(?<!{JOINER}){CODE}(?!{JOINER})([^`\n]+){CODE}|^{_QUOTE}",
    re.DOTALL | re.MULTILINE,
)
_EMPHASISED = tuple(
    re.compile(
        rf"(?<![^\W_])(?<!{JOINER}){mark}(?![\s{JOINER}])(.+?)(?<![\s{JOINER}]){mark}"
        rf"(?!{JOINER})(?![^\W_])"
    )
    for mark in (r"\*", "_", "~")
)


def plain(chunk: str) -> str:
    """Return the text that a person sees of a chunk that `split` made."""
    shown: list[str] = []
    position = 0
    for match in _CODE_OR_QUOTE.finditer(chunk):
        shown += [_without_marks(chunk[position : match.start()]), match[1] or match[2] or ""]
        position = match.end()
    shown.append(_without_marks(chunk[position:]))
    return "".join(shown).replace(JOINER, "")


def _without_marks(text: str) -> str:
    for emphasised in _EMPHASISED:
        text = emphasised.sub(r"\1", text)
    return text
