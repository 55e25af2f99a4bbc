"""Comparable parts of what `uiautomator dump` writes."""

import re
import xml.etree.ElementTree as ET

CLASSIC = """
index text resource-id class package content-desc checkable checked clickable enabled focusable
focused scrollable long-clickable password selected bounds
"""
HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def shapes(text: str) -> set[str]:
    """Every tag without the values of its attributes."""
    return {re.sub(r'"[^"]*"', '""', tag) for tag in re.findall(r"<(?!\?)[^>]*>", text)}


def attributes(text: str) -> list[dict[str, str]]:
    """Every node's attributes, as far as all phones have them."""
    root = ET.fromstring(text[text.index("<hierarchy") : text.rindex("</hierarchy>") + 12])
    return [
        {name: value for name, value in node.attrib.items() if name in CLASSIC.split()}
        for node in root.iter("node")
    ]
