from __future__ import annotations

import pytest

from gaia.core.sentences import failed
from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTooLongError,
    ModelUnavailableError,
    ModelUnpaidError,
    ModelUnreachableError,
)

REMEDY = "check A_SETTING"
OTHER_WORDS = "try other words"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ModelUnpaidError, "credit or the quota for my model is used up"),
        (ModelRejectedError, "provider refuses my requests"),
        (ModelUnreachableError, "Nothing answers at my model's address"),
        (ModelRefusedError, "did not understand my request"),
    ],
)
def test_what_an_owner_mends_is_told_to_owners_and_its_cause_to_all(
    error: type[ModelError], cause: str
) -> None:
    exc = error("HTTP 400: the host's words", remedy=REMEDY)
    to_owner, to_others = (failed(exc, "t1", to_owner=owner) for owner in (True, False))
    assert cause in to_owner
    assert f"Please {REMEDY}" in to_owner
    assert cause in to_others
    assert "A_SETTING" not in to_others
    assert "The person who runs me" in to_others
    for told in (to_owner, to_others):
        assert "the host's words" not in told
        assert OTHER_WORDS not in told


@pytest.mark.parametrize("to_owner", [True, False])
def test_only_words_that_were_refused_are_to_be_said_otherwise(to_owner: bool) -> None:
    assert OTHER_WORDS in failed(ModelBlockedError("no"), "t1", to_owner=to_owner)
    assert "/reset" in failed(ModelTooLongError("no"), "t1", to_owner=to_owner)
    assert "in a few minutes" in failed(ModelUnavailableError("no"), "t1", to_owner=to_owner)
