"""An XML resource with plain strings in it, for readers that know nothing of Android's files."""

from xml.etree import ElementTree

from .binary import BadApk
from .binary_xml import Attribute, Element
from .resources import Resources

LONGEST = 4 * 1024 * 1024
"""Characters of all names and values together. A file holds a string once and may use it in very
many places, and whoever writes the tree down writes it in each."""


def plain_tree(
    element: Element, resources: Resources | None, name: str = "the resource"
) -> ElementTree.Element:
    """Attributes without a namespace, their values as Android coerces them to strings, references
    followed. Raises BadApk under the file's `name`."""
    return _Planer(resources, name).tree(element)


class _Planer:
    def __init__(self, resources: Resources | None, name: str) -> None:
        self._resources = resources
        self._name = name
        self._left = LONGEST

    def tree(self, element: Element) -> ElementTree.Element:
        attributes = {
            one.name: self._value(one) for one in element.attributes if one.namespace is None
        }
        self._pay(element.name, *attributes, *attributes.values())
        tree = ElementTree.Element(element.name, attributes)
        # A list: of what a generator raises, `extend` makes a TypeError.
        tree.extend([self.tree(child) for child in element.elements()])
        return tree

    def _value(self, attribute: Attribute) -> str:
        value = attribute.value
        if value.reference is not None and self._resources is not None:
            return self._resources.follow(value).coerce() or ""
        return (value.coerce() if attribute.raw is None else attribute.raw) or ""

    def _pay(self, *words: str) -> None:
        self._left -= sum(map(len, words))
        if self._left < 0:
            raise BadApk(f"{self._name}: it says over {LONGEST} characters")
