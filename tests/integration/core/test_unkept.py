"""A database that does not answer for a while, in the middle of a turn."""

from __future__ import annotations

from sqlalchemy import event

from gaia.errors import StoreError


class Outage:
    """While it lasts no transaction of a database begins."""

    def __init__(self) -> None:
        self.lasts = False
        self.met = 0

    def listen(self, engine) -> None:
        event.listen(engine, "begin", self._begin)

    def _begin(self, _: object) -> None:
        if self.lasts:
            self.met += 1
            raise StoreError("the server is away")


async def test_an_answer_that_cannot_be_kept_at_once_is_not_asked_for_again(running_core):
    outage = Outage()

    def answer(request: object) -> str:
        outage.lasts = True
        return "once"

    async with running_core(answer) as core:
        outage.listen(core.database.engine)
        await core.channel.say("how often?")
        for _ in range(3):
            await core.clock.until_sleeping()
            assert core.channel.sent == []
            core.clock.advance(10)
        await core.clock.until_sleeping()
        assert outage.met >= 3
        outage.lasts = False
        core.clock.advance(60)
        (sent,) = await core.channel.until_sent(1)
        assert sent.marked_text == "once"
        assert len(core.model.requests) == 1
