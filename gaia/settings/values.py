"""The kinds of values that settings have: addresses, hosts, numbers, names, times."""

from __future__ import annotations

from ipaddress import ip_address
from re import fullmatch
from typing import Annotated

from pydantic import AfterValidator, Field

from gaia.settings.urls import (
    DATABASE_EXAMPLE,
    check_database_url,
    check_model_url,
    check_public_url,
    check_root_url,
    check_url,
)


def _check_host(text: str) -> str:
    if fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text) is None:
        ip_address(text)
    return text


YEAR_MINUTES = 525_600

BaseUrl = Annotated[
    str,
    AfterValidator(check_url),
    Field(description="empty, or an address such as http://127.0.0.1:11434/v1"),
]
ModelUrl = Annotated[
    str,
    AfterValidator(check_model_url),
    Field(description="empty, or an address such as http://127.0.0.1:11434/v1"),
]
PublicUrl = Annotated[
    str,
    AfterValidator(check_public_url),
    Field(
        description="empty, or an address such as https://gaia.example.org, without /hooks "
        "and what follows it"
    ),
]
RootUrl = Annotated[
    str,
    AfterValidator(check_root_url),
    Field(description="empty, or an address such as https://gaia.example.org, without a path"),
]
DatabaseUrl = Annotated[
    str,
    AfterValidator(check_database_url),
    Field(description=f"empty, or an address such as {DATABASE_EXAMPLE}"),
]
Host = Annotated[
    str,
    AfterValidator(_check_host),
    Field(description="an IP address or a host name, without a port"),
]
PhoneNumber = Annotated[
    str,
    Field(
        pattern=r"^(\+[1-9][0-9]{6,14})?$",
        description="empty, or a number such as +14155238886: a plus and digits, no spaces",
    ),
]
ContentSid = Annotated[
    str,
    Field(
        pattern=r"^(HX[0-9a-fA-F]{32})?$",
        description="empty, or a Content SID of Twilio's: HX and 32 digits or letters to f",
    ),
]
TemplateVariable = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_]{0,64}$",
        description="empty, or the name of a variable without its braces, such as 1",
    ),
]
ComponentName = Annotated[str, Field(min_length=1, description="a provider's name")]
Minutes = Annotated[float, Field(gt=0, le=YEAR_MINUTES)]
