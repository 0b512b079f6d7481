"""Checks: what of a model's findings may be written. Code decides this, and nothing else.

What a single finding may become is told in `verifying`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gaia.errors import UnusableExtractionError
from gaia.memory.digest import certainty, summaries
from gaia.memory.digest.findings import (
    Checked,
    Extraction,
    Offer,
    Operation,
    Proposal,
    Window,
)
from gaia.memory.digest.verifying import Refusal, RefusedFinding, Verifier
from gaia.memory.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, normalise
from gaia.store.memory_tables import MemoryKind

MOST_FINDINGS = 60
"""More than that nobody says in a window: the model has run wild."""


def check(extraction: Extraction, window: Window, offers: Sequence[Offer]) -> Checked:
    """What of an extraction may be written.

    Raises:
        UnusableExtractionError: It cannot be a reading of this window.
    """
    refuse_unusable(extraction, window)
    verifier = Verifier(window, offers)
    proposals: list[Proposal] = []
    refused: Counter[str] = Counter()
    for finding in extraction.findings:
        try:
            proposal = verifier.proposal(finding)
        except RefusedFinding as exc:
            refused[exc.reason.value] += 1
            continue
        proposal = _apart(proposal, proposals)
        if _is_known(proposal, proposals, offers):
            refused[Refusal.KNOWN.value] += 1
        else:
            proposals.append(proposal)
    return Checked(summaries.checked(extraction.summary, window), proposals, dict(refused))


def refuse_unusable(extraction: Extraction, window: Window) -> None:
    """Return if this can be a reading of the window.

    Raises:
        UnusableExtractionError: It cannot.
    """
    if len(extraction.findings) > MOST_FINDINGS:
        raise UnusableExtractionError(
            f"the model found {len(extraction.findings)} things in one window, more than the "
            f"{MOST_FINDINGS} that may be: it is asked again"
        )
    if not normalise(extraction.summary) and has_content(window):
        raise UnusableExtractionError(
            "the model gave an empty summary of a window in which something was said: it is "
            "asked again"
        )


def has_content(window: Window) -> bool:
    """Whether more was said than greetings and thanks."""
    return not all(is_pleasantry(turn.asked) for turn in window.turns)


def _apart(proposal: Proposal, earlier: Sequence[Proposal]) -> Proposal:
    """The proposal; as a new statement where an earlier one replaces the same already."""
    is_taken = any(each.target == proposal.target for each in earlier)
    if proposal.operation is Operation.SUPERSEDE and is_taken:
        return replace(proposal, operation=Operation.ADD, target=None)
    return proposal


def _is_known(proposal: Proposal, earlier: Sequence[Proposal], offers: Sequence[Offer]) -> bool:
    """Whether an earlier finding or an offer says the same, or changes the same.

    A memory of the same words is no reason: that it is said again counts for it.
    """
    if proposal.target is not None and any(each.target == proposal.target for each in earlier):
        return True
    if proposal.operation is Operation.RETRACT:
        return False
    said = _said(proposal.kind, proposal.text)
    if any(_said(each.kind, each.text) == said for each in earlier if _tells(each)):
        return True
    return any(
        _said(offer.kind, offer.text) == said and not _is_support(proposal, offer)
        for offer in offers
    )


def _is_support(proposal: Proposal, offer: Offer) -> bool:
    return (
        proposal.operation is Operation.ADD
        and offer.target.memory_id is not None
        and normalise(proposal.text) == normalise(offer.text)
    )


def _tells(proposal: Proposal) -> bool:
    return proposal.operation is not Operation.RETRACT


def _said(kind: MemoryKind, text: str) -> tuple[MemoryKind, frozenset[str], bool]:
    """The same for statements of one kind in the same words, in whatever order."""
    return kind, content_terms(text), certainty.denies(text)
