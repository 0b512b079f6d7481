"""What was used last is kept: bounded by its size, and the least recently used goes first."""

from __future__ import annotations

from gaia.lru import LruCache


def held(cache: LruCache[tuple[str, str], bytes], *names: str) -> list[str]:
    return [name for name in names if cache.get(("fake", name)) is not None]


def test_what_was_put_is_found_by_its_whole_key() -> None:
    cache = LruCache[tuple[str, str], bytes](10, len)
    cache.put(("fake", "a"), b"12345")
    assert cache.get(("fake", "a")) == b"12345"
    assert cache.get(("other", "a")) is None


def test_the_least_recently_used_goes_first() -> None:
    cache = LruCache[tuple[str, str], bytes](10, len)
    cache.put(("fake", "a"), b"12345")
    cache.put(("fake", "b"), b"12345")
    cache.get(("fake", "a"))
    cache.put(("fake", "c"), b"1")
    assert held(cache, "a", "b", "c") == ["a", "c"]


def test_a_value_that_is_put_twice_counts_once() -> None:
    cache = LruCache[tuple[str, str], bytes](10, len)
    cache.put(("fake", "a"), b"12345")
    cache.put(("fake", "a"), b"1234567")
    cache.put(("fake", "b"), b"123")
    assert held(cache, "a", "b") == ["a", "b"]


def test_a_value_larger_than_all_of_it_is_not_kept() -> None:
    cache = LruCache[tuple[str, str], bytes](10, len)
    cache.put(("fake", "a"), b"12345678901")
    assert held(cache, "a") == []
    cache.put(("fake", "b"), b"1234567890")
    assert held(cache, "b") == ["b"]
