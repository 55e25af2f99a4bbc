"""An XML resource with plain strings in it, for readers that know nothing of Android's files."""

from xml.etree import ElementTree

from .binary_xml import Element
from .resources import Resources


def plain_tree(element: Element, resources: Resources | None) -> ElementTree.Element:
    """Attributes without a namespace, their values as Android coerces them to strings, references
    followed. Raises BadApk."""
    attributes: dict[str, str] = {}
    for attribute in element.attributes:
        value = attribute.value
        if attribute.namespace is not None:
            continue
        if value.reference is not None and resources is not None:
            text = resources.follow(value).coerce()
        else:
            text = value.coerce() if attribute.raw is None else attribute.raw
        attributes[attribute.name] = text or ""
    tree = ElementTree.Element(element.name, attributes)
    tree.extend(plain_tree(child, resources) for child in element.elements())
    return tree
