"""The contacts, and the lookup of names by number."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from ...system.personal import Contact

if TYPE_CHECKING:
    from ...world import World

PACKAGE = "com.android.contacts"
"""The package of the contacts app, without which numbers have no names."""
FIRST = (
    "Ada Ali Amara Anna Bao Bea Björn Carlos Chloé Dana Diego Elif Emil Emma Farid Fatima Georg "
    "Grace Hana Hugo Ines Ivan Jonas Julia Kofi Lars Lena Mateo Mei Nora Omar Olga Priya Quinn "
    "Rosa Sami Sofia Tomás Yuki Zoë"
)
LAST = (
    "Adeyemi Álvarez Bauer Chen Dubois Eriksson Fischer García Haddad Ito Jansen Kim Lovelace "
    "Moreau Nagy Okafor Petrov Qureshi Rossi Sato Tanaka Ueda Weber Young Zimmermann"
)
IN_NUMBERS = {ord(sign): None for sign in " -()."}
"""Separators that people put between digits."""
KINDS = ("Mobile", "Home", "Work")


@cache
def everybody() -> tuple[Contact, ...]:
    """Return the contacts by name. They are equal on all phones, and generated on first use."""
    found: list[Contact] = []
    for number, (last, first) in enumerate(product(LAST.split(), FIRST.split())):
        line = 5_550_000 + number * 7919 % 10_000
        found.append(
            Contact(
                f"{first} {last}",
                f"+1 202 {line // 10_000} {line % 10_000:04d}",
                KINDS[number % len(KINDS)],
                f"{plain(first)}.{plain(last)}@example.com",
            )
        )
    return tuple(sorted(found, key=lambda contact: plain(contact.name)))


def known_contacts(world: "World") -> Sequence[Contact]:
    """Return this phone's contacts by name."""
    added = world.personal.contacts
    if not added:
        return everybody()
    return sorted((*everybody(), *added), key=lambda contact: plain(contact.name))


def contact_name(world: "World", number: str) -> str:
    """Return the name of the contact with a number, or the number."""
    if PACKAGE not in world.apps:
        return number
    wanted = digits(number)
    added = (each.name for each in world.personal.contacts if digits(each.number) == wanted)
    return next(added, "") or _names().get(wanted) or number


@cache
def _names() -> dict[str, str]:
    return {digits(contact.number): contact.name for contact in everybody()}


def digits(number: str) -> str:
    return number.translate(IN_NUMBERS)


def plain(name: str) -> str:
    """Return a name in lower case without accents, for sorting, searching and addresses."""
    from unicodedata import combining, normalize

    return "".join(c for c in normalize("NFD", name) if not combining(c)).casefold()
