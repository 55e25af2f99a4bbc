"""Comparable parts of the output of `uiautomator dump`."""

import re
import xml.etree.ElementTree as ET

CLASSIC = """
index text resource-id class package content-desc checkable checked clickable enabled focusable
focused scrollable long-clickable password selected bounds
"""
HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def shapes(text: str) -> set[str]:
    """All tags without the values of their attributes."""
    return {re.sub(r'"[^"]*"', '""', tag) for tag in re.findall(r"<(?!\?)[^>]*>", text)}


def attributes(text: str) -> list[dict[str, str]]:
    """The attributes of all nodes that are the same on all phones."""
    root = ET.fromstring(text[text.index("<hierarchy") : text.rindex("</hierarchy>") + 12])
    return [
        {name: value for name, value in node.attrib.items() if name in CLASSIC.split()}
        for node in root.iter("node")
    ]
