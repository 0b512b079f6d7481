"""Earlier turns as every provider takes them: pairs of calls and results, and no thoughts."""

from __future__ import annotations

from google.genai import types

from gaia.agent.prompt import plain


def said(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def called(*calls: tuple[str | None, str], signature: bytes | None = None) -> types.Content:
    parts = [
        types.Part(
            function_call=types.FunctionCall(id=each, name=name, args={}),
            thought_signature=signature,
        )
        for each, name in calls
    ]
    return types.Content(role="model", parts=parts)


def told(*results: tuple[str | None, str]) -> types.Content:
    parts = [
        types.Part(function_response=types.FunctionResponse(id=each, name=name, response={}))
        for each, name in results
    ]
    return types.Content(role="user", parts=parts)


def ids(contents: list[types.Content]) -> list[list[str | None]]:
    return [
        [(part.function_call or part.function_response).id for part in content.parts or []]  # type: ignore[union-attr]
        for content in contents
    ]


def test_calls_without_ids_are_paired_by_name_and_order() -> None:
    contents = [
        called((None, "a"), (None, "b"), (None, "a")),
        told((None, "b"), (None, "a"), (None, "a")),
    ]
    paired = ids(plain(contents, keeps_thoughts=True))
    assert paired == [
        ["call00001", "call00002", "call00003"],
        ["call00002", "call00001", "call00003"],
    ]


def test_an_id_that_a_host_gave_twice_becomes_two() -> None:
    contents = [called(("x", "a")), told(("x", "a")), called(("x", "a")), told(("x", "a"))]
    assert ids(plain(contents, keeps_thoughts=True)) == [
        ["call00001"],
        ["call00001"],
        ["call00002"],
        ["call00002"],
    ]


def test_a_call_or_a_result_without_the_other_is_left_out() -> None:
    contents = [told(("x", "a")), said("hi"), called(("y", "b")), said("again")]
    assert plain(contents, keeps_thoughts=True) == [said("hi"), said("again")]


def test_thoughts_of_the_present_turn_stay_where_they_are_wanted() -> None:
    earlier = [said("one"), called(("x", "a"), signature=b"s"), told(("x", "a"))]
    present = [said("two"), called(("y", "a"), signature=b"s"), told(("y", "a"))]

    def signatures(*, keeps_thoughts: bool) -> list[bytes | None]:
        contents = plain([*earlier, *present], keeps_thoughts=keeps_thoughts)
        return [part.thought_signature for content in contents for part in content.parts or []]

    assert signatures(keeps_thoughts=True) == [None, None, None, None, b"s", None]
    assert signatures(keeps_thoughts=False) == [None] * 6


def test_what_was_only_thought_is_left_out_whole() -> None:
    thought = types.Content(role="model", parts=[types.Part(text="hm", thought=True)])
    assert plain([said("one"), thought, said("two")], keeps_thoughts=True) == [
        said("one"),
        said("two"),
    ]


def test_the_session_keeps_what_the_request_leaves_out() -> None:
    content = called(("x", "a"), signature=b"s")
    kept = content.model_copy(deep=True)
    plain([content, told(("x", "a")), said("two")], keeps_thoughts=False)
    assert content == kept
