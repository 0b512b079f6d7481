"""`gaia costs`: the tokens that model calls used, and what they cost. Works whether or not
gaia runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, columns, cut, echo_json
from gaia.cli.home import ask

if TYPE_CHECKING:
    from datetime import date

    from gaia.ops.costs import Costs, Line, Prices

LONGEST_SUBJECT = 24
"""The rest of 80 columns is for the numbers."""

NOT_KNOWN = "not known"


class ByName(StrEnum):
    """The subjects of `gaia.ops.costs.By`, without what that imports."""

    USER = "user"
    PURPOSE = "purpose"
    MODEL = "model"
    DAY = "day"


def costs_command(
    days: Annotated[
        int, typer.Option("--days", "-d", min=1, max=36_500, help="How many days, until today.")
    ] = 30,
    by: Annotated[ByName, typer.Option("--by", help="What to add up.")] = ByName.USER,
    as_json: AsJson = False,
) -> None:
    """Show tokens and what they cost, by the prices in gaia.yaml."""
    from datetime import datetime

    from gaia.ops.costs import By, first_day
    from gaia.ops.queries.records import COSTS, WhichCosts

    until = datetime.now().astimezone().date()
    costs = ask(COSTS, WhichCosts(by=By(by), since=first_day(until, days), until=until))
    prices = costs.prices or _prices()
    if as_json:
        echo_json(_as_json(costs, prices))
    else:
        typer.echo(as_text(costs, prices))


def as_text(costs: Costs, prices: Prices) -> str:
    """The costs as a table that fits 80 columns."""
    days = _days(costs.since, costs.until)
    if not costs.lines:
        return f"No model was asked {days}: --days looks further back."
    lines = [f"Tokens {days}.", "", _table(costs, prices.currency)]
    if costs.total.unpriced:
        lines += ["", _advice(costs.total, prices)]
    return "\n".join(lines)


def _prices() -> Prices:
    """Those of gaia.yaml; of one that is wrong, which is no matter here, the defaults."""
    from gaia.errors import SettingsError
    from gaia.ops.costs import prices_of
    from gaia.paths import find_home
    from gaia.settings.load import load_settings
    from gaia.settings.schema import CostsSettings

    try:
        return prices_of(load_settings(find_home()).settings.costs)
    except SettingsError:
        return prices_of(CostsSettings())


def _days(since: date, until: date) -> str:
    return f"on {until}" if since == until else f"from {since} to {until}"


def _table(costs: Costs, currency: str) -> str:
    headings = ("CALLS", "TOKENS IN", "TOKENS OUT", f"COST ({currency})")
    told = [headings, *(_numbers(line) for line in (*costs.lines, costs.total))]
    cells = zip(*map(_to_the_right, zip(*told, strict=True)), strict=True)
    subjects = [
        costs.by.upper(),
        *(cut(line.subject, LONGEST_SUBJECT) for line in costs.lines),
        costs.total.subject,
    ]
    rows = [(subject, *numbers) for subject, numbers in zip(subjects, cells, strict=True)]
    return columns(rows[0], rows[1:])


def _numbers(line: Line) -> tuple[str, ...]:
    return (f"{line.calls:,}", f"{line.tokens_in:,}", f"{line.tokens_out:,}", _cost(line))


def _cost(line: Line) -> str:
    if line.known_cost is None:
        return NOT_KNOWN
    return f"{line.known_cost:,.2f}" + ("+" if line.unpriced else "")


def _to_the_right(column: Sequence[str]) -> Sequence[str]:
    widest = max(map(len, column))
    return [cell.rjust(widest) for cell in column]


def _advice(total: Line, prices: Prices) -> str:
    told = f"The price of {total.unpriced:,} tokens was not known when they were used"
    if prices.are_set:
        return f"{told}."
    return f"{told}:\nset costs.input_price and costs.output_price in gaia.yaml."


def _as_json(costs: Costs, prices: Prices) -> dict[str, object]:
    return {
        "since": costs.since.isoformat(),
        "until": costs.until.isoformat(),
        "by": costs.by,
        "currency": prices.currency,
        "lines": [_line_as_json(line) for line in costs.lines],
        "total": _line_as_json(costs.total),
    }


def _line_as_json(line: Line) -> dict[str, object]:
    return {
        "subject": line.subject,
        "calls": line.calls,
        "tokens_in": line.tokens_in,
        "tokens_out": line.tokens_out,
        "cost": line.known_cost,
        "tokens_without_price": line.unpriced,
    }
