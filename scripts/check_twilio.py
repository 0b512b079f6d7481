#!/usr/bin/env python3
"""Whether Twilio's own description of its API takes what gaia sends.

Serves the whole description with Prism (`npm install @stoplight/prism-cli`), and makes
every kind of request that the WhatsApp channel makes, by the code that makes it. Fails
when one is refused, or when a broken one is not. Says as well whether the excerpt that
`tests.servers.twilio` holds is still one of the description.

The description is Twilio's: https://github.com/twilio/twilio-oai, the file
spec/json/twilio_api_v2010.json. Needs the environment of `scripts/setup-dev`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import copy
import json
import shlex
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import resources
from pathlib import Path

import httpx

from channels.whatsapp.api import Api, Timing
from channels.whatsapp.errors import REFUSALS, describe
from gaia.clock import SystemClock
from tests.servers.twilio import ACCOUNT_SID, AUTH_TOKEN, NUMBER
from tests.servers.twilio.description import FORM, Json
from tests.servers.twilio.excerpt import excerpt

MESSAGES_PATH = "/2010-04-01/Accounts/{AccountSid}/Messages.json"
PERSON = "+4915112345678"
MESSAGE = "SM" + "0" * 32
CONTENT = "HX" + "0" * 32
CALLBACK = "https://gaia.example/hooks/whatsapp/status/1"
FILE = "https://gaia.example/hooks/whatsapp/media/1/1767268800/aa/my%20export.json"

REQUESTS: dict[str, Callable[[Api], Awaitable[object]]] = {
    "a text": lambda api: api.send_text(PERSON, "hello *you*\n\n🌍", status_callback=CALLBACK),
    "the longest text": lambda api: api.send_text(PERSON, "ä" * 1600, status_callback=CALLBACK),
    "a text that nobody tells of": lambda api: api.send_text(PERSON, "pair: 123"),
    "a text to a hidden number": lambda api: api.send_text(
        "DE.1A2B3C4D5E", "hello", status_callback=CALLBACK
    ),
    "a file": lambda api: api.send_text(
        PERSON, "my export", status_callback=CALLBACK, media_url=FILE
    ),
    "a template": lambda api: api.send_template(PERSON, CONTENT, {}, status_callback=CALLBACK),
    "a template with words": lambda api: api.send_template(
        PERSON, CONTENT, {"1": 'rain · "sun"'}, status_callback=CALLBACK
    ),
    "typing": lambda api: api.show_typing(MESSAGE),
    "the account": lambda api: api.account(),
    "what was received": lambda api: api.received_since(SystemClock().now()),
    "the files of a message": lambda api: api.files_of(MESSAGE),
}

BROKEN = {
    "a message to nobody": ("POST", "Messages.json", {"Body": "hello"}),
    "a template without an id": ("POST", "Messages.json", {"To": PERSON, "ContentSid": "HX1"}),
    "pages that are too long": ("GET", "Messages.json?PageSize=5000", {}),
    "a message without an id": ("GET", "Messages/1.json", {}),
}


async def check(description: Json, prism: list[str]) -> int:
    """Make the requests and tell what came of them; return how many were met wrongly."""
    wrong = 0
    async with serving(description, prism) as url:
        api = Api(ACCOUNT_SID, AUTH_TOKEN, NUMBER, url, Timing())
        for name, request in REQUESTS.items():
            try:
                await request(api)
            except REFUSALS as exc:
                wrong += 1
                say(f"REFUSED  {name}: {describe(exc)}")
            else:
                say(f"taken    {name}")
        await api.close_connections()
        wrong += await check_broken(url)
    return wrong


async def check_broken(url: str) -> int:
    """Make requests that have to be refused; return how many were not."""
    wrong = 0
    folder = f"{url}/2010-04-01/Accounts/{ACCOUNT_SID}"
    async with httpx.AsyncClient(auth=(ACCOUNT_SID, AUTH_TOKEN)) as http:
        for name, (method, path, form) in BROKEN.items():
            answer = await http.request(method, f"{folder}/{path}", data=form)
            wrong += answer.is_success
            say(f"{'TAKEN   ' if answer.is_success else 'refused '} {name} (broken)")
        bare = await http.request("GET", f"{folder}/Messages.json", auth=httpx.Auth())
        wrong += bare.is_success
        say(f"{'TAKEN   ' if bare.is_success else 'refused '} a request without credentials")
    return wrong


@contextlib.asynccontextmanager
async def serving(description: Json, prism: list[str]) -> AsyncIterator[str]:
    """Prism on a free port, from when it answers until the block is left."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "description.json"
        file.write_text(json.dumps(description))
        process = await asyncio.create_subprocess_exec(
            *prism,
            *("mock", "--host", "127.0.0.1", "--port", str(port), str(file)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        reading: asyncio.Task[None] | None = None
        try:
            await until_listening(process)
            reading = asyncio.create_task(drain(process))
            yield f"http://127.0.0.1:{port}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            if reading is not None:
                await reading
            await process.wait()


async def until_listening(process: asyncio.subprocess.Process) -> None:
    """Return once Prism says that it listens. Raises `SystemExit` when it ends instead."""
    assert process.stdout is not None
    said = []
    while line := await process.stdout.readline():
        said.append(line.decode(errors="replace"))
        if "is listening" in said[-1]:
            return
    raise SystemExit(f"Prism did not start:\n{''.join(said[-20:])}")


async def drain(process: asyncio.subprocess.Process) -> None:
    """Read what Prism says, so that it can say more."""
    assert process.stdout is not None
    while await process.stdout.readline():
        pass


def whole(description: Json) -> Json:
    """The description, with the requests that it lacks, and with what OpenAPI takes for
    granted and Prism does not: a list in a form is one field a value."""
    paths = {
        **copy.deepcopy(as_object(description["paths"])),
        **as_object(json.loads(packaged("api_v2.json"))["paths"]),
    }
    form = at(paths, MESSAGES_PATH, "post", "requestBody", "content", FORM)
    lists: Json = {
        name: {"style": "form", "explode": True}
        for name, field in at(form, "schema", "properties").items()
        if as_object(field).get("type") == "array"
    }
    form.update({"encoding": lists})
    return {**description, "paths": paths}


def at(value: Json, *keys: str) -> Json:
    for key in keys:
        value = as_object(value[key])
    return value


def as_object(value: object) -> Json:
    assert isinstance(value, dict)
    return value


def packaged(name: str) -> bytes:
    return (resources.files("tests.servers.twilio") / name).read_bytes()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("description", type=Path, help="Twilio's twilio_api_v2010.json")
    parser.add_argument(
        "--prism",
        default="npx --no-install prism",
        help="the command that runs Prism (%(default)s)",
    )
    parser.add_argument(
        "--excerpt", type=Path, help="write the excerpt into this file, and check nothing"
    )
    arguments = parser.parse_args()
    prism = shlex.split(arguments.prism)
    if not arguments.description.is_file():
        say(f"skipped: there is no {arguments.description}; see the top of this script")
        return 0
    description = json.loads(arguments.description.read_bytes())
    if arguments.excerpt is not None:
        told = json.dumps(excerpt(description), indent=1, ensure_ascii=False)
        arguments.excerpt.write_text(f"{told}\n", encoding="utf-8")
        return 0
    if shutil.which(prism[0]) is None:
        say(f"skipped: {prism[0]} is not installed; Prism comes with npm @stoplight/prism-cli")
        return 0
    wrong = asyncio.run(check(whole(description), prism))
    if excerpt(description) != json.loads(packaged("api_v2010.json")):
        say("OLD      tests/servers/twilio/api_v2010.json: make it again with --excerpt")
        wrong += 1
    say(f"{wrong} of {len(REQUESTS) + len(BROKEN) + 1} requests were not met as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
