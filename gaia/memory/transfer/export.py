"""What a user's memories are as a file: which go into it, and its lines; or a document that
word processors open, for people whose chat takes no text.

Of that one's format, Office Open XML, it has the least that all of them read: headings and
bullets are formatted where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy.orm import Session

from gaia.memory import ledger, pending
from gaia.memory.people import entities, graph
from gaia.memory.transfer.importer import FileFormat
from gaia.memory.transfer.record import (
    HEADINGS,
    Record,
    by_kind,
    record_of,
    remark,
    to_markdown,
)

ALL = 10**9

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_PROLOGUE = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SCHEMAS = "http://schemas.openxmlformats.org"
_CONTENT_TYPES = (
    f'<Types xmlns="{_SCHEMAS}/package/2006/content-types">'
    '<Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{MEDIA_TYPE}.main+xml"/>'
    "</Types>"
)
_RELATIONS = (
    f'<Relationships xmlns="{_SCHEMAS}/package/2006/relationships">'
    '<Relationship Id="rId1" Target="word/document.xml"'
    f' Type="{_SCHEMAS}/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)
_BIG = '<w:rPr><w:b/><w:sz w:val="36"/></w:rPr>'
_BOLD = '<w:rPr><w:b/><w:sz w:val="28"/></w:rPr>'
_GREY = '<w:rPr><w:color w:val="808080"/></w:rPr>'
_HEADING = '<w:pPr><w:keepNext/><w:spacing w:before="240"/><w:outlineLvl w:val="{level}"/></w:pPr>'
_BULLET = '<w:pPr><w:ind w:left="284" w:hanging="284"/></w:pPr>'
_NEVER = (1980, 1, 1, 0, 0, 0)
"""The time of the parts: the same memories are the same file."""


def records(session: Session, user_id: str, file_format: FileFormat) -> Sequence[Record]:
    """What counts; where a file holds all of a memory, also what gaia is not sure of."""
    about = entities.by_memory(session, user_id)
    told = graph.by_memory(session, user_id)
    found = [*ledger.every(session, user_id)]
    if file_format is FileFormat.JSONL:
        found += pending.page(session, user_id, size=ALL).memories[::-1]
    return [
        record_of(each, about.get(each.memory_id, ()), told.get(each.memory_id, ()))
        for each in found
    ]


def title(user_name: str) -> str:
    """What stands above memories in a file for people."""
    return f"What gaia remembers of {user_name}"


def lines(user_name: str, given: Sequence[Record], file_format: FileFormat) -> Iterator[str]:
    """The lines of a file."""
    if file_format is FileFormat.JSONL:
        return (record.to_json() for record in given)
    return to_markdown(title(user_name), given)


def to_word(title: str, records: Sequence[Record]) -> bytes:
    """A document that holds these records, by kind, in their order."""
    return _document("".join(_paragraphs(title, records)))


def text_to_word(text: str) -> bytes:
    """A document that holds a text, a paragraph a line."""
    return _document("".join(_paragraph("", _run(line)) for line in text.splitlines()))


def _document(paragraphs: str) -> bytes:
    document = (
        f'<w:document xmlns:w="{_SCHEMAS}/wordprocessingml/2006/main">'
        f"<w:body>{paragraphs}</w:body></w:document>"
    )
    written = BytesIO()
    with ZipFile(written, "w") as parts:
        for name, xml in (
            ("[Content_Types].xml", _CONTENT_TYPES),
            ("_rels/.rels", _RELATIONS),
            ("word/document.xml", document),
        ):
            parts.writestr(ZipInfo(name, _NEVER), _PROLOGUE + xml, ZIP_DEFLATED)
    return written.getvalue()


def printable(text: str) -> str:
    """The text without control characters and what overrides the direction of writing.
    Line breaks and tabs stay."""
    return _CONTROLS.sub("", text)


def _paragraphs(title: str, records: Sequence[Record]) -> Iterator[str]:
    yield _paragraph(_HEADING.format(level=0), _run(title, _BIG))
    for kind, of_kind in by_kind(records):
        yield _paragraph(_HEADING.format(level=1), _run(HEADINGS[kind], _BOLD))
        for record in of_kind:
            told = remark(record)
            beside = _run(f"  {told}" if told else "", _GREY)
            yield _paragraph(_BULLET, _run(f"•\t{record.text}"), beside)


def _paragraph(properties: str, *runs: str) -> str:
    return f"<w:p>{properties}{''.join(runs)}</w:p>"


def _run(text: str, properties: str = "") -> str:
    words = escape(printable(text))
    for mark, element in (("\n", "<w:br/>"), ("\t", "<w:tab/>")):
        words = words.replace(mark, f'</w:t>{element}<w:t xml:space="preserve">')
    return f'<w:r>{properties}<w:t xml:space="preserve">{words}</w:t></w:r>'
