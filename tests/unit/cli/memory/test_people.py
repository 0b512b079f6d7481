"""`gaia memory people`."""

from __future__ import annotations

from tests.harness.book import said


def test_people_are_shown_with_what_is_between_them(shell, ada) -> None:
    async def learn(book) -> None:
        for text, *told in (
            ("My sister Grace sails", "Grace", "sister of", "Ada"),
            ("Grace knows Grace Hill", "Grace", "friend of", "Grace Hill"),
        ):
            subject, predicate, thing = told
            await book.keep(ada, said(text, subject=subject, predicate=predicate, object=thing))

    assert "no people yet" in shell.done("people")
    shell.book(learn)
    shown = shell.done("people")
    assert "Grace sister of Ada" in shown
    assert "Perhaps the same: Grace and Grace Hill" in shown
    found = shell.read("people", "my", "sister")
    assert [each["names"] for each in found["people"]] == [["Grace"]]
    assert found["unsure"] == [["Grace", "Grace Hill"]]
    assert "nobody and nothing by 'Zoe'" in shell.done("people", "Zoe")
