"""The status report of a core: what its parts and its tables say."""

from __future__ import annotations

from datetime import timedelta

from gaia.ops.backup.archives import archive_name
from gaia.paths import Home
from gaia.settings.schema import CostsSettings, Settings
from gaia.store import job_runs
from gaia.testing.clock import START

PRICED = Settings(costs=CostsSettings(currency="EUR", input_price=1_000.0, output_price=0.0))


async def test_the_report_has_jobs_backups_and_what_each_user_used(running_core, home: Home):
    home.backups.mkdir(mode=0o700)
    (home.backups / archive_name(START - timedelta(hours=9), nightly=True, encrypted=False)).touch()
    (home.backups / "notes.txt").touch()
    async with running_core(senders=("ada", "bob"), settings=PRICED) as core:
        with core.database.writing() as session:
            due_at = core.clock.now() - timedelta(hours=1)
            job_runs.expect(session, "upkeep", due_at)
        await core.say("hello", sender="ada")
        report = await core.app.status.report()
    (job,) = (job for job in report.jobs if job.name == "upkeep")
    assert (job.state, job.late_seconds) == ("waits", 3600.0)
    assert report.backup.last_at == START - timedelta(hours=9)
    assert report.backup.enabled
    (used,) = report.usage_today
    assert (used.user, used.calls, report.currency) == ("ada", 1, "EUR")


async def test_status_in_a_chat_tells_ones_own_tokens_and_nobody_elses(running_core):
    async with running_core(senders=("ada", "bob"), settings=PRICED) as core:
        assert "Today you have used" not in await core.say("/status", sender="bob")
        await core.say("hello", sender="ada")
        (used,) = (await core.app.status.report()).usage_today
        told = await core.say("/status", sender="ada")
        assert f"Today you have used {used.tokens_in + used.tokens_out} tokens" in told
        assert "Today you have used" not in await core.say("/status", sender="bob")


async def test_a_database_that_was_never_used_has_a_report(running_core):
    async with running_core(senders=()) as core:
        report = await core.app.status.report()
    assert (report.users, report.usage_today, report.backup.last_at) == (0, (), None)
    assert [part.name for part in report.degraded] == ["terminal"]
