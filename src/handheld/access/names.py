"""The names that clients give themselves, told apart from those of others.

The record and the console call a person "You", and tokens by their names. A client that takes one
of these is quoted.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ..phone.leases.shares import OWNER
from ..screen.characters import without_unseen
from ..tools.call import Caller

_PERSON = "a person"
_RESERVED = ("you", OWNER, _PERSON, "oauth")
"""A person at the console is called the first there, and in a terminal the third, after a name;
the names of callers with access tokens begin with the last."""
_QUOTES = " \"'`“”„‘’«»‹›()[]{}<>*_~.,:;-–—·•#/\\"
"""What may stand around a name."""
_ALIKE = (
    "аa вb еe кk мm нh оo рp сc тt уy хx іl јj ѕs ԁd ԛq ԝw һh ӏl үy ґr ьb αa βb εe ηn ιl κk μm νv"
    " οo ρp τt υu χx γy ωw σo ϲc ϳj ոn սu օo ցg քq հh յj ʏy ɣy ᴏo ᴜu ʋu ɑa ɡg ıl ɩl 0o 1l |l !l @a"
    " $s il"
)
"""Of Cyrillic, Greek, Armenian and the phonetic alphabet, digits and signs, each with the letter
that it looks like."""
_LOOKS = str.maketrans({pair[0]: pair[1] for pair in _ALIKE.split(" ")})
_CAPITALS = str.maketrans("ΥΗΝ", "yhn")
"""Those that look like another letter than their small ones."""
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Mc"})


@lru_cache(4000)
def skeleton(name: str) -> str:
    """What is left of a name for somebody who reads over it: equal for names that look alike, as
    far as that is sensible."""
    apart = unicodedata.normalize("NFKD", name).translate(_CAPITALS)
    apart = unicodedata.normalize("NFKD", apart.casefold())
    seen = (char for char in without_unseen(apart) if unicodedata.category(char) not in _UNSEEN)
    words = " ".join("".join(seen).split()).translate(_LOOKS)
    return words.replace("rn", "m").replace("vv", "w").strip(_QUOTES)


def is_reserved(name: str) -> bool:
    """Whether a token must not have this name."""
    return skeleton(name) in map(skeleton, _RESERVED)


def shown_caller(caller: Caller, tokens: Iterable[str]) -> Caller:
    """The caller, quoted if its client takes the name of the person or of another token, or
    begins with one of them."""
    name = caller.client
    if not name:
        return caller
    looks = skeleton(name)
    others = {skeleton(other) for other in (*_RESERVED, *tokens) if other != caller.token}
    if _PERSON not in looks and not any(_begins(looks, other) for other in others):
        return caller
    who = caller.token if caller.token not in ("", OWNER) else "a client"
    return caller._replace(client=f'{who}, which calls itself "{name}"')


def _begins(looks: str, other: str) -> bool:
    """Whether these are its first words, or all of its letters."""
    if looks.startswith(other) and not looks[len(other) : len(other) + 1].isalnum():
        return True
    return _letters(looks) == _letters(other)


def _letters(looks: str) -> str:
    return "".join(filter(str.isalnum, looks))
