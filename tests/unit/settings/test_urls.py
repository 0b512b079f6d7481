"""What an address of a model was meant to be."""

from __future__ import annotations

import pytest

from gaia.settings.urls import (
    HiddenError,
    check_database_url,
    check_root_url,
    meant_url,
    with_version,
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", ""),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://api.deepseek.com", "https://api.deepseek.com"),
        ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/chat/completions/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/completions", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/responses", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/models", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/embeddings", "http://127.0.0.1:8080/v1"),
        ("https://host.example/v1?api-version=1", "https://host.example/v1"),
        ("https://host.example/v1#top", "https://host.example/v1"),
        ("127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("localhost:11434", "http://localhost:11434"),
        ("ws://localhost:11434/v1", "http://localhost:11434/v1"),
        (' "http://localhost:1234/v1" ', "http://localhost:1234/v1"),
        ("http://me:secret@host/v1/chat/completions", "http://me:secret@host/v1/chat/completions"),
        ("http://[broken", "http://[broken"),
        ("http://", "http://"),
        ("ollama", "ollama"),
        ("ollama:11434", "http://ollama:11434"),
        ("not an address", "not an address"),
    ],
)
def test_what_clients_append_and_what_is_no_address_is_mended(text: str, meant: str) -> None:
    assert meant_url(text) == meant
    assert meant_url(meant) == meant


@pytest.mark.parametrize(
    ("url", "versioned"),
    [
        ("", ""),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("https://openrouter.ai/api", "https://openrouter.ai/api/v1"),
        ("https://host.example/v1beta/openai", "https://host.example/v1beta/openai"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
    ],
)
def test_a_version_is_added_where_there_is_none(url: str, versioned: str) -> None:
    assert with_version(url) == versioned


@pytest.mark.parametrize("url", ["", "https://gaia.example", "http://gaia.example:8080"])
def test_the_address_of_a_server_has_no_path(url: str) -> None:
    assert check_root_url(url) == url
    assert check_root_url(f"{url}/" if url else "") == url
    if url:
        for more in ("/page", "/hooks/telegram", "?a=b", "#top"):
            with pytest.raises(ValueError, match="gaia"):
                check_root_url(url + more)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://gaia:a%20b@/gaia",
        "postgresql://gaia@/gaia?options=-c%20search_path%3Dapp",
        "postgres://gaia@/gaia?host=a:1&host=b:2&target_session_attrs=read-write",
        "postgresql+asyncpg://gaia:pass#/?word@db.example.org:5433/gaia",
        "postgresql://?service=gaia",
    ],
)
def test_the_address_of_a_database_is_one_that_can_be_read(address: str) -> None:
    assert check_database_url(address) == address


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("postgresql://gaia:hunter2@/gaia?host=a,b&port=5432", "is not the address of"),
        ("postgresql://gaia:hunter2@a:1,b:2/gaia", "is not the address of"),
        ("postgresql://gaia:hunter2@db.example.org", "is not the address of"),
        ("postgresql://gaia:hunter2@db.example.org/gaia#top", "is not the address of"),
        ("mysql://gaia:hunter2@db.example.org/gaia", "is not the address of"),
        ("hunter2", "is not the address of"),
        ("postgresql://a:hunter2@b/c?ssl_mode=hunter2", "has the option 'ssl_mode', which Postgre"),
        ("postgresql://a:hunter2@b/c?prepare_threshold=0", "has the option 'prepare_threshold'"),
    ],
)
def test_one_that_cannot_be_is_refused_without_its_password(address: str, problem: str) -> None:
    with pytest.raises(HiddenError, match=problem) as refused:
        check_database_url(address)
    assert "hunter2" not in str(refused.value)
