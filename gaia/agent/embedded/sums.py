"""Sums, which are worked out instead of guessed: a message that is one, and nothing more.

What is 17 times 23?      1234 * 56 =      Was sind 20 % von 150?
"""

# ruff: noqa: RUF001 - the signs of other keyboards are meant

from __future__ import annotations

import re

from gaia.agent.tools.calculator import calculate

OPERATORS = {
    "+": r" ?\+ ?| plus | más | più | mais ",
    "*": r" ?[*×·x] ?| times | mal | fois | por | per | vezes ",
    "/": r" ?÷ ?| divided by | geteilt durch | divisé par | dividido por | diviso ",
    "-": r" minus | menos | moins | meno ",
}
"""What stands between two numbers of a sum, whatever stands before them."""
BARE_OPERATORS = {"-": " [-−] ", "/": " / "}
"""The same where nothing stands before them: else they are ranges and dates."""

_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_QUESTION = r"¿? ?(?:[^\W\d]+(?:['\u2019][^\W\d]+)?[,:]? ){1,4}"
_END = r"(?: ?[=?])*"
_SHARE = re.compile(rf"(?:{_QUESTION})?(?P<sum>({_NUMBER}) ?% [^\W\d]{{1,5}} ({_NUMBER})){_END}")


def _sum(before: str, operators: str) -> re.Pattern[str]:
    return re.compile(rf"{before}(?P<sum>{_NUMBER}(?:(?:{operators}){_NUMBER})+){_END}")


_IN_WORDS = _sum(_QUESTION, "|".join(OPERATORS.values()))
_BARE = _sum("", "|".join([*OPERATORS.values(), *BARE_OPERATORS.values()]))


def worked_out(message: str) -> str | None:
    """The sum of a message and what it comes to, as `17 times 23 = 391`; None for any other
    message, and for a sum that has no result."""
    said = " ".join(message.lower().split())
    if share := _SHARE.fullmatch(said):
        return _told(share["sum"], f"{share[2]} * {share[3]} / 100")
    found = _BARE.fullmatch(said) or _IN_WORDS.fullmatch(said)
    if found is None:
        return None
    expression = found["sum"]
    for sign, words in (*BARE_OPERATORS.items(), *OPERATORS.items()):
        expression = re.sub(words, f" {sign} ", expression)
    return _told(found["sum"], expression)


def _told(said: str, expression: str) -> str | None:
    result = calculate(expression).get("result")
    return None if result is None else f"{said} = {result}"
