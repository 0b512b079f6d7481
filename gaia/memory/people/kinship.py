"""What a relation makes of its two ends: by which words one finds the one from the other, and
who is a person.

The words are those that stand in the relation, in whatever language. Of what has a name of its
own the other way round, such as husband and wife, the English words are known, since models
write relations in English more often than not.
"""

from __future__ import annotations

from dataclasses import dataclass

from gaia.memory.text import bare_words, content_terms

_GROUPS = (
    ("husband wife spouse married", "husband wife spouse married"),
    ("girlfriend boyfriend partner", "girlfriend boyfriend partner"),
    ("fiance fiancee engaged", "fiance fiancee engaged"),
    ("sister brother sibling twin", "sister brother sibling twin"),
    ("mother father parent mom mum dad", "son daughter child kid"),
    ("son daughter child kid", "mother father parent mom mum dad"),
    ("grandmother grandfather grandma grandpa grandparent", "grandson granddaughter grandchild"),
    ("grandson granddaughter grandchild", "grandmother grandfather grandma grandpa grandparent"),
    ("aunt uncle", "niece nephew"),
    ("niece nephew", "aunt uncle"),
    ("boss manager", "employee"),
    ("teacher", "student pupil"),
    ("doctor", "patient"),
    ("friend", "friend"),
    ("cousin", "cousin"),
    ("colleague coworker", "colleague coworker"),
    ("neighbour neighbor", "neighbour neighbor"),
    ("roommate flatmate", "roommate flatmate"),
)
"""Words for somebody, and those for whom they are that to."""

_NEUTRAL = frozenset({"married", "spouse", "engaged", "sibling", "twin", "parent", "child", "kid"})
"""Words that stand for all of their group."""

_SYNONYMS = ("mother mom mum", "father dad", "grandmother grandma", "grandfather grandpa")

_KIN = {word: (said, back) for said, back in _GROUPS for word in said.split()}

KIN = frozenset(_KIN)
"""Words in a relation that hold between people alone."""

_OF_WORDS = "of to von zu de di da do del della des du van av af til fra od la"
_OF = frozenset(_OF_WORDS.split())
"""What a relation ends in that calls somebody by what they are to somebody else."""

_HAS_WORDS = "has have had hat habe tiene tengo tem tenho ha ho a ai heeft har"
_HAS = frozenset(_HAS_WORDS.split())
"""What a relation begins with that tells whom somebody has."""

_NAMES = """
same as|same person as|same thing as|also known as|known as|also called|called|aka|alias|alias of
|alias for|nickname of|nickname for|nickname|nicknamed|goes by|short for
"""
_SAME = frozenset(_NAMES.replace("\n", "").split("|"))
_APART = frozenset({"not same as", "not same person as"})
_FILLERS = frozenset({"is", "are", "was", "the", "a", "an"})


@dataclass(frozen=True, slots=True)
class Kinship:
    """What a relation says. `forth` are the terms by which its subject is called from its
    object, `back` those the other way round; both are empty where nobody is called anything.
    """

    forth: frozenset[str] = frozenset()
    back: frozenset[str] = frozenset()
    is_same: bool = False
    is_apart: bool = False
    is_between_people: bool = False


def kinship(predicate: str, *, from_user: bool) -> Kinship:
    """What a predicate makes of its ends; `from_user` says that the user is its subject."""
    words = [word for word in bare_words(predicate).split() if word]
    bare = " ".join(word for word in words if word not in _FILLERS)
    if bare in _SAME:
        return Kinship(is_same=True)
    if bare in _APART:
        return Kinship(is_apart=True)
    kin = [word for word in words if word in KIN]
    is_reversed = bool(words) and (
        words[0] in _HAS or (from_user and bool(kin) and words[-1] not in _OF)
    )
    has_noun = bool(words) and (words[-1] in _OF or words[0] in _HAS or not predicate.isascii())
    if not kin and not (has_noun and len(words) < 5):
        return Kinship()
    called = content_terms(" ".join(word for word in words if word not in _HAS))
    forth, back = called | _terms(kin, back=False), _terms(kin, back=True)
    if is_reversed:
        forth, back = back, forth
    return Kinship(forth, back, is_between_people=bool(kin))


def _terms(kin: list[str], *, back: bool) -> frozenset[str]:
    found: list[str] = []
    for word in kin:
        said, other = _KIN[word]
        if back:
            found.append(other)
        elif word in _NEUTRAL:
            found.append(said)
        else:
            found += [each for each in _SYNONYMS if word in each.split()]
    return content_terms(" ".join(found)) if found else frozenset()
