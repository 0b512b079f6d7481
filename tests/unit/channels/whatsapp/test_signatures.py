from __future__ import annotations

import base64
import hmac
import json
from dataclasses import replace
from hashlib import sha1, sha256
from urllib.parse import urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from twilio.request_validator import RequestValidator

from channels.whatsapp.requests import Params, Signatures
from gaia.errors import UnsignedError
from gaia.messages import HookRequest

TOKEN = "0123456789abcdef0123456789abcdef"
PUBLIC = "https://gaia.example.org"
URL = f"{PUBLIC}/hooks/whatsapp"
FORM = {"content-type": "application/x-www-form-urlencoded"}
JSON = {"content-type": "application/json"}

Pairs = list[tuple[str, str]]

HELLO: Pairs = [("MessageSid", "SM1"), ("Body", "hello"), ("From", "whatsapp:+4915112345678")]


def by_hand(url: str, pairs: Pairs = [], token: str = TOKEN) -> str:  # noqa: B006
    """The rule as Twilio's page on webhook security tells it: the address, then each name
    with its values, in the order of the names."""
    signed = url + "".join(name + value for name, value in sorted(set(pairs)))
    digest = hmac.new(token.encode(), signed.encode(), sha1).digest()
    return base64.b64encode(digest).decode()


def by_the_library(url: str, pairs: Pairs) -> str:
    values: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        values[name] = (*values.get(name, ()), value)
    signature: str = RequestValidator(TOKEN).compute_signature(url, Params(values))
    return signature


def form(
    pairs: Pairs, signature: str, *, path: str = "", query: str = "", **headers: str
) -> HookRequest:
    shown = FORM | {"x-twilio-signature": signature} | headers
    return HookRequest("POST", path, query, urlencode(pairs).encode(), shown)


def other(
    body: bytes, query: str, signature: str, content_type: str = "application/json"
) -> HookRequest:
    headers = {"content-type": content_type, "x-twilio-signature": signature}
    return HookRequest("POST", "", query, body, headers)


def hash_of(body: bytes) -> str:
    return f"bodySHA256={sha256(body).hexdigest()}"


def signatures(public_url: str = PUBLIC) -> Signatures:
    return Signatures(TOKEN, public_url)


@pytest.mark.parametrize(
    "pairs",
    [
        HELLO,
        [],
        [("Body", "")],
        [("Body", "Größe: 日本 😀 é"), ("ProfileName", "Åda & Bob=+ %20")],
        [("A", "2"), ("A", "1"), ("A", "2"), ("B", "x")],
        [("b", "1"), ("B", "2"), ("_", "3")],
        [("Body", "two\r\nlines\x00")],
    ],
    ids=["some", "none", "empty", "not ASCII", "repeated", "in order of ASCII", "odd characters"],
)
@pytest.mark.parametrize("sign", [by_hand, by_the_library], ids=["by hand", "by the library"])
def test_what_twilio_signs_is_taken(pairs: Pairs, sign: object) -> None:
    assert callable(sign)
    params = signatures().verified(form(pairs, sign(URL, pairs)))
    assert {name: set(params.getall(name)) for name in params} == {
        name: {value for other_name, value in pairs if other_name == name} for name, _ in pairs
    }


def test_our_own_signature_is_twilios() -> None:
    assert signatures().sign(URL, Params.of(dict(HELLO))) == by_hand(URL, HELLO)
    assert signatures().sign(URL) == by_hand(URL)


def test_an_example_of_twilios_documentation() -> None:
    """From the page on the security of webhooks; its signature is printed there."""
    pairs = [
        ("CallSid", "CA1234567890ABCDE"),
        ("Caller", "+14158675309"),
        ("Digits", "1234"),
        ("From", "+14158675309"),
        ("To", "+18005551212"),
    ]
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    signature = Signatures("12345", PUBLIC).sign(url, Params.of(dict(pairs)))
    assert signature == by_hand(url, pairs, "12345") == "RSOYDt4T1cUTdK1PDd93/VVr8B8="


@pytest.mark.parametrize(
    ("public_url", "signed"),
    [
        ("https://gaia.example.org", "https://gaia.example.org/hooks/whatsapp"),
        ("https://gaia.example.org/", "https://gaia.example.org/hooks/whatsapp"),
        ("https://gaia.example.org", "https://gaia.example.org:443/hooks/whatsapp"),
        ("http://gaia.example.org", "http://gaia.example.org:80/hooks/whatsapp"),
        ("https://gaia.example.org:8443", "https://gaia.example.org:8443/hooks/whatsapp"),
        ("https://gaia.example.org:8443", "https://gaia.example.org/hooks/whatsapp"),
        ("https://example.org/gaia", "https://example.org/gaia/hooks/whatsapp"),
        ("https://example.org/gaia", "https://example.org:443/gaia/hooks/whatsapp"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443/hooks/whatsapp"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]:443/hooks/whatsapp"),
    ],
)
def test_the_port_may_be_signed_or_not(public_url: str, signed: str) -> None:
    assert signatures(public_url).verified(form(HELLO, by_hand(signed, HELLO)))


def test_what_stands_behind_the_address_is_signed() -> None:
    sign = by_hand(f"{URL}/status/7?a=1&b=%C3%A9", HELLO)
    assert signatures().verified(form(HELLO, sign, path="status/7", query="a=1&b=%C3%A9"))
    for path, query in [("status/8", "a=1&b=%C3%A9"), ("status/7", "a=1"), ("", "a=1&b=%C3%A9")]:
        with pytest.raises(UnsignedError):
            signatures().verified(form(HELLO, sign, path=path, query=query))


@pytest.mark.parametrize(
    ("path", "more"),
    [("status/1", ("2", "")), ("status/1", ("", "2")), ("", ("/status/12", ""))],
    ids=["another chunk", "another chunk, no name", "a message"],
)
def test_what_was_signed_for_one_address_does_not_pass_for_another(
    path: str, more: tuple[str, str]
) -> None:
    """Twilio's rule joins the address and the form without anything between them."""
    sign = by_hand(f"{URL}/status/12", HELLO)
    assert sign == by_hand(f"{URL}/{path}" if path else URL, [more, *HELLO])
    with pytest.raises(UnsignedError, match="may be a part of its address"):
        signatures().verified(form([more, *HELLO], sign, path=path))


def test_behind_a_proxy_the_configured_address_counts() -> None:
    believed_elsewhere = {
        "host": "localhost:8642",
        "x-forwarded-host": "evil.example.com",
        "x-forwarded-proto": "http",
        "forwarded": "host=evil.example.com;proto=http",
        "x-original-url": "/hooks/whatsapp/status/1",
    }
    assert signatures().verified(form(HELLO, by_hand(URL, HELLO), **believed_elsewhere))
    for url in ("http://localhost:8642/hooks/whatsapp", "http://evil.example.com/hooks/whatsapp"):
        with pytest.raises(UnsignedError, match="calls another address than https://gaia"):
            signatures().verified(form(HELLO, by_hand(url, HELLO), **believed_elsewhere))


@pytest.mark.parametrize(
    "signature",
    ["", " ", "x", "=", "wröng", "\udcff", by_hand(URL), by_hand(URL, HELLO, "f" * 32)],
    ids=["empty", "blank", "short", "no base64", "ä", "surrogate", "empty form", "other token"],
)
def test_any_other_signature_is_refused(signature: str) -> None:
    with pytest.raises(UnsignedError):
        signatures().verified(form(HELLO, signature))


def test_a_request_without_a_signature_is_refused() -> None:
    with pytest.raises(UnsignedError, match="not signed"):
        signatures().verified(HookRequest("POST", "", "", urlencode(HELLO).encode(), FORM))


@pytest.mark.parametrize("algorithm", ["HMAC_SHA256", "hmac_sha512", "none"])
def test_a_shared_key_is_refused_and_the_remedy_named(algorithm: str) -> None:
    settings = f"key=webhooks_sharedkey_1,algorithm={algorithm}"
    request = form(HELLO, by_hand(URL, HELLO))
    headers = {**request.headers, "x-twilio-webhooks-signature-settings": settings}
    with pytest.raises(UnsignedError, match="switch shared keys for webhooks off"):
        signatures().verified(replace(request, headers=headers))


@pytest.mark.parametrize("settings", ["", "algorithm=HMAC_SHA1", "key=x"])
def test_the_usual_algorithm_may_be_named(settings: str) -> None:
    request = form(HELLO, by_hand(URL, HELLO))
    headers = {**request.headers, "x-twilio-webhooks-signature-settings": settings}
    assert signatures().verified(replace(request, headers=headers))


def test_json_is_taken_with_its_hash() -> None:
    body = json.dumps({"Body": "grüße", "NumMedia": 0, "Forwarded": True, "x": None}).encode()
    query = f"a=1&{hash_of(body)}"
    params = signatures().verified(other(body, query, by_hand(f"{URL}?{query}")))
    assert (params.get("Body"), params.get("NumMedia")) == ("grüße", "0")
    assert (params.get("Forwarded"), params.get("x")) == ("true", "")


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("", b'{"Body": "hello"}'),
        ("a=1", b'{"Body": "hello"}'),
        ("bodySHA256=", b'{"Body": "hello"}'),
        (hash_of(b'{"Body": "hello"}'), b'{"Body": "hullo"}'),
        (hash_of(b'{"Body": "hello"}'), b""),
        (f"{hash_of(b'{}')}&{hash_of(b'x')}", b"{}"),
        ("bodySHA256=gr%C3%BC%C3%9Fe", b"{}"),
    ],
    ids=["no query", "no hash", "empty hash", "wrong hash", "no body", "two hashes", "no digest"],
)
def test_json_without_its_hash_is_refused(query: str, body: bytes) -> None:
    signature = by_hand(f"{URL}?{query}" if query else URL)
    with pytest.raises(UnsignedError, match="bodySHA256"):
        signatures().verified(other(body, query, signature))


def test_a_hash_alone_does_not_make_it_twilios() -> None:
    body = b'{"Body": "hello"}'
    with pytest.raises(UnsignedError):
        signatures().verified(other(body, hash_of(body), by_hand(URL)))


@pytest.mark.parametrize("body", [b"\xff", b"[]", b"7", b"{", b"[" * 100_000, b"\xef\xbb\xbf{}"])
def test_a_signed_body_that_nobody_can_read_says_nothing(body: bytes) -> None:
    query = hash_of(body)
    assert not signatures().verified(other(body, query, by_hand(f"{URL}?{query}"), "text/plain"))


@pytest.mark.parametrize(
    "body",
    [
        *(b"Body=%FF", b"Body=\xff", b"Body=%ED%A0%80"),
        *(b"&".join([b"a=1"] * 401), b"Body=" + b"a" * 200_000),
    ],
    ids=["percent", "raw", "surrogate", "too many", "too long"],
)
def test_a_form_that_nobody_can_read_is_refused(body: bytes) -> None:
    headers = FORM | {"x-twilio-signature": by_hand(URL)}
    with pytest.raises(UnsignedError, match="no form that can be read"):
        signatures().verified(HookRequest("POST", "", "", body, headers))


def test_a_form_called_something_else_is_refused() -> None:
    signed = form(HELLO, by_hand(URL, HELLO))
    for content_type in ("text/plain", "multipart/form-data; boundary=x", ""):
        request = replace(signed, headers={**signed.headers, "content-type": content_type})
        with pytest.raises(UnsignedError):
            signatures().verified(request)


def test_a_refusal_tells_nothing_of_the_request() -> None:
    pairs = [("Body", "canary"), ("From", "whatsapp:+4915112345678")]
    for request in (form(pairs, "canary"), other(b"canary", "canary=canary", "canary")):
        with pytest.raises(UnsignedError) as caught:
            signatures().verified(request)
        assert "canary" not in str(caught.value)
        assert "+49" not in str(caught.value)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.builds("{}{}".format, st.sampled_from("aBz_"), WORDS)
PAIRS = st.lists(st.tuples(NAMES, WORDS), max_size=8)


@given(PAIRS)
def test_whatever_is_signed_is_taken_as_it_was(pairs: Pairs) -> None:
    params = signatures().verified(form(pairs, by_hand(URL, pairs)))
    assert [(name, value) for name in params for value in params.getall(name)] == sorted(
        pairs, key=lambda pair: [name for name, _ in pairs].index(pair[0])
    )


@given(PAIRS, PAIRS)
def test_another_form_is_refused(signed: Pairs, sent: Pairs) -> None:
    # Twilio's rule joins names and values without anything between them.
    assume(by_hand("", signed) != by_hand("", sent))
    with pytest.raises(UnsignedError):
        signatures().verified(form(sent, by_hand(URL, signed)))


@given(st.integers(0, 19), st.integers(1, 255))
def test_a_changed_byte_of_the_signature_is_refused(place: int, change: int) -> None:
    digest = bytearray(base64.b64decode(by_hand(URL, HELLO)))
    digest[place] ^= change
    with pytest.raises(UnsignedError):
        signatures().verified(form(HELLO, base64.b64encode(digest).decode()))


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
def test_another_address_is_refused(more: str) -> None:
    for request in (
        form(HELLO, by_hand(URL, HELLO), path=more),
        form(HELLO, by_hand(URL, HELLO), query=more),
    ):
        with pytest.raises(UnsignedError):
            signatures().verified(request)
