"""Documents of text: which files are such, and what they say."""

from __future__ import annotations

import codecs
from pathlib import PurePath

from gaia.messages import Attachment, AttachmentKind

TEXT_TYPES = frozenset(
    {
        "application/json",
        "application/xml",
        "application/yaml",
        "application/toml",
        "application/sql",
        "application/javascript",
        "application/x-sh",
        "application/x-yaml",
        "application/x-ndjson",
        "application/x-httpd-php",
        "message/rfc822",
    }
)
TEXT_SUFFIXES = frozenset(
    """
    .txt .md .markdown .rst .csv .tsv .json .jsonl .ndjson .yaml .yml .toml .ini .cfg .conf .env
    .log .xml .html .htm .css .svg .tex .bib .srt .vtt .ics .vcf .eml .diff .patch .sql .gpx .po
    .py .pyi .js .mjs .ts .tsx .jsx .java .kt .c .h .cc .cpp .hpp .cs .go .rs .rb .php .pl .lua
    .sh .bash .zsh .fish .ps1 .bat .r .swift .scala .dart .ex .hs .clj .vue .ipynb
    .gradle .cmake .proto .service .dockerfile
    """.split()  # noqa: SIM905 - a list of seventy strings is harder to read
)
"""By name as well: messengers send what they do not know as `application/octet-stream`."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks and what they mean; UTF-32's little one begins with UTF-16's."""

UNMARKED = ("utf-8", "cp1252", "latin-1")
"""What is tried in turn without a mark. Latin-1 reads everything."""


def is_text(attachment: Attachment) -> bool:
    """Whether a file is a document of text, by its media type or by its name."""
    if attachment.kind is not AttachmentKind.DOCUMENT:
        return False
    media_type = attachment.media_type.partition(";")[0].strip().lower()
    if media_type.startswith("text/") or media_type in TEXT_TYPES:
        return True
    if media_type.endswith(("+json", "+xml")):
        return True
    return PurePath(attachment.file_name or "").suffix.lower() in TEXT_SUFFIXES


def decode(content: bytes) -> str | None:
    """The text in `content`: Unicode by its mark, UTF-8, or what Windows and Latin-1
    make of it; None when it is no text, whatever its name says. Lines end in `\n`."""
    marked = next((encoding for mark, encoding in MARKS if content.startswith(mark)), None)
    for encoding in (marked,) if marked else UNMARKED:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")
    return None
