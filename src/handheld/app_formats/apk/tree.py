"""Convert an XML resource to an ElementTree with plain strings."""

from xml.etree import ElementTree

from .binary import BadApk
from .binary_xml import Attribute, XmlElement
from .resources import Resources

LONGEST = 4 * 1024 * 1024
"""Characters of all names and values together. A file stores a string once and may use it in many
places, and serializing the tree repeats it in each."""


def plain_tree(
    element: XmlElement, resources: Resources | None, name: str = "the resource"
) -> ElementTree.Element:
    """Return the tree, with only the attributes that have no namespace; their values are converted
    to strings as Android does, references resolved. `name` is for errors. Raises BadApk."""
    return _Planer(resources, name).tree(element)


class _Planer:
    def __init__(self, resources: Resources | None, name: str) -> None:
        self._resources = resources
        self._name = name
        self._left = LONGEST

    def tree(self, element: XmlElement) -> ElementTree.Element:
        attributes = {
            attribute.name: self._value(attribute)
            for attribute in element.attributes
            if attribute.namespace is None
        }
        self._pay(element.name, *attributes, *attributes.values())
        tree = ElementTree.Element(element.name, attributes)
        # A list: `extend` turns exceptions of a generator into TypeError.
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
