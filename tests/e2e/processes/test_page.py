"""The memory page of several gaias is one: whoever signs in at one of them is signed in at all."""

from __future__ import annotations

import json

import httpx
import pytest

from gaia.store.location import VARIABLE
from tests.harness.page_browser import Browser

PERSON = 1000


@pytest.mark.timeout(120)
async def test_a_link_of_one_opens_at_another_and_signing_out_counts_at_all(made, run_gaia):
    async with made(2, [PERSON]) as cluster:
        await cluster.start()
        here, there = (f"http://127.0.0.1:{gaia.port}" for gaia in cluster.gaias)
        environ = {VARIABLE: cluster.url.render_as_string(hide_password=False)}
        asked = ("memory", "page", "--user", f"person{PERSON}", "--json")
        told = await run_gaia(cluster.gaias[0].home, *asked, environ=environ)
        assert told.code == 0, told.stderr
        base, _, link = json.loads(told.stdout)["url"].partition("/page/")
        assert base == here
        async with httpx.AsyncClient(base_url=there) as client:
            at_there = Browser(client)
            assert (await at_there.enter(f"/page/{link}")).status_code == 303
            # One browser, which the balancer leads elsewhere.
            async with httpx.AsyncClient(base_url=here, cookies=client.cookies) as other:
                at_here = Browser(other)
                assert f"remembers person{PERSON}" in await at_here.see("/")
                assert at_here.form_token == at_there.form_token
                assert (await at_here.enter(f"/page/{link}")).status_code == 403
                assert "remembers" in await at_here.see("/")
                assert "signed out" in (await at_there.send("/leave")).text
                assert "not signed in" in await at_here.see("/", 403)
