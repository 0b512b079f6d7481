"""Logging: where lines go, what each carries, and what none of them may show.

A line carries the id of the turn that it belongs to. Keys, tokens and telephone
numbers are replaced wherever they would appear, tracebacks included.
"""

from gaia.logs.handlers import CHATTY as CHATTY
from gaia.logs.handlers import SILENT as SILENT
from gaia.logs.handlers import PrivateFileHandler as PrivateFileHandler
from gaia.logs.handlers import configure as configure
from gaia.logs.handlers import log_failure as log_failure
from gaia.logs.redaction import REDACTED as REDACTED
from gaia.logs.redaction import RedactingFormatter as RedactingFormatter
from gaia.logs.redaction import Redaction as Redaction
from gaia.logs.redaction import turn_in_log as turn_in_log
