"""Somebody's browser on the memory page, without a network."""

from __future__ import annotations

import re

import httpx

BASE = "http://localhost"
FORM_TOKEN = re.compile(r'name="form_token" value="([^"]+)"')


class Browser:
    """Somebody's browser. What it posts has the token of the page that it saw last."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.form_token = ""

    async def enter(self, link: str) -> httpx.Response:
        await self.client.get(link)
        token = link.rpartition("/")[2]
        answer = await self.client.post("/page/enter", data={"token": token})
        if answer.status_code == 303:
            await self.see("/")
        return answer

    async def see(self, path: str, status: int = 200) -> str:
        answer = await self.client.get(f"/page{path}")
        assert answer.status_code == status, answer.text
        found = FORM_TOKEN.search(answer.text)
        self.form_token = found[1] if found else self.form_token
        return answer.text

    async def send(self, path: str, *, htmx: bool = False, **fields: str) -> httpx.Response:
        form = {"form_token": self.form_token, **fields}
        headers = {"HX-Request": "true"} if htmx else {}
        return await self.client.post(f"/page{path}", data=form, headers=headers)
