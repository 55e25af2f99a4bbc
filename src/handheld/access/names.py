"""Keeps the names that clients give themselves distinct from other names.

The record and the console call a person "You", and tokens by their names. A client that claims one
of these names is shown in quotes.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ..phone.leases.shares import OWNER
from ..screen.characters import without_unseen
from ..tools.call import Caller

_PERSON = "a person"
_RESERVED = ("you", OWNER, _PERSON, "oauth")
"""The console calls its person by the first; a terminal appends the third to the person's name;
names of callers with access tokens begin with the last."""
_QUOTES = " \"'`“”„‘’«»‹›()[]{}<>*_~.,:;-–—·•#/\\"
"""What may stand around a name."""
_ALIKE = (
    "аa вb еe кk мm нh оo рp сc тt уy хx іl јj ѕs ԁd ԛq ԝw һh ӏl үy ґr ьb αa βb εe ηn ιl κk μm νv"
    " οo ρp τt υu χx γy ωw σo ϲc ϳj ոn սu օo ցg քq հh յj ʏy ɣy ᴏo ᴜu ʋu ɑa ɡg ıl ɩl 0o 1l |l !l @a"
    " $s il"
)
"""Cyrillic, Greek, Armenian and phonetic letters, digits and signs, each with the Latin letter that
it resembles."""
_LOOKS = str.maketrans({pair[0]: pair[1] for pair in _ALIKE.split(" ")})
_CAPITALS = str.maketrans("ΥΗΝ", "yhn")
"""Capitals that resemble a different letter than their small forms do."""
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Mc"})


@lru_cache(4000)
def skeleton(name: str) -> str:
    """A name reduced to what a quick reader sees: as far as is sensible, names that look alike are
    equal."""
    apart = unicodedata.normalize("NFKD", name).translate(_CAPITALS)
    apart = unicodedata.normalize("NFKD", apart.casefold())
    seen = (char for char in without_unseen(apart) if unicodedata.category(char) not in _UNSEEN)
    words = " ".join("".join(seen).split()).translate(_LOOKS)
    return words.replace("rn", "m").replace("vv", "w").strip(_QUOTES)


def is_reserved(name: str) -> bool:
    """Whether no token may have this name."""
    return skeleton(name) in map(skeleton, _RESERVED)


def shown_caller(caller: Caller, tokens: Iterable[str]) -> Caller:
    """The caller, in quotes if its client claims the name of the person or of another token, or a
    name that begins with one of them."""
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
