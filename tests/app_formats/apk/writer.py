"""Writes Android's binary files, as small as they can be, for what reads them to be tested."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handheld.app_formats.apk.binary_xml import ANDROID
from handheld.app_formats.apk.reading import _ATTRIBUTES as IDS
from handheld.app_formats.apk.values import BOOLEAN, INT_DECIMAL, REFERENCE, STRING, Value

NONE = 0xFFFFFFFF
MAIN = "android.intent.action.MAIN"
LAUNCHER = "android.intent.category.LAUNCHER"

Given = str | int | bool | Value


@dataclass
class Node:
    """An element. An attribute's name begins with `android:` for one of Android's, and with `:` for
    one whose namespace is empty."""

    name: str
    attributes: Mapping[str, Given] = field(default_factory=dict[str, Given])
    children: "Sequence[Node | str]" = ()
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """The source text of attributes where it is not the value."""


def chunk(kind: int, header: bytes, content: bytes) -> bytes:
    return struct.pack("<HHI", kind, 8 + len(header), 8 + len(header) + len(content)) + (
        header + content
    )


def string_pool(strings: Sequence[str], *, utf8: bool = True) -> bytes:
    content, offsets = b"", b""
    for text in strings:
        offsets += struct.pack("<I", len(content))
        units = len(text.encode("utf-16-le")) // 2
        if utf8:
            raw = text.encode()
            content += _length8(units) + _length8(len(raw)) + raw + b"\0"
        else:
            long = struct.pack("<HH", 0x8000 | units >> 16, units & 0xFFFF)
            size = long if units > 0x7FFF else struct.pack("<H", units)
            content += size + text.encode("utf-16-le") + b"\0\0"
    content += b"\0" * (-len(content) % 4)
    start = 28 + len(offsets)
    header = struct.pack("<IIIII", len(strings), 0, 0x100 if utf8 else 0, start, 0)
    return chunk(0x0001, header, offsets + content)


def _length8(size: int) -> bytes:
    return bytes((0x80 | size >> 8, size & 0xFF)) if size > 0x7F else bytes((size,))


class _Strings:
    def __init__(self, first: Sequence[str]) -> None:
        self.all = list(first)

    def __call__(self, text: str) -> int:
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)


def typed(value: Given, strings: "_Strings") -> tuple[int, int]:
    if isinstance(value, Value):
        return value.type, strings(value.text or "") if value.type == STRING else value.data
    if isinstance(value, bool):
        return BOOLEAN, NONE if value else 0
    if isinstance(value, int):
        return INT_DECIMAL, value & 0xFFFFFFFF
    return STRING, strings(value)


def reference(number: int) -> Value:
    return Value(REFERENCE, number)


def xml(root: Node, *, utf8: bool = True, names: bool = True) -> bytes:
    """Without `names` those of Android's attributes are lost, as some packers lose them."""
    used = sorted({name for node in _all(root) for name in node.attributes if ":" in name})
    known = [name for name in used if name.removeprefix("android:") in IDS]
    # Strings with resource numbers come first, so these are not shared with other strings.
    strings = _Strings([f"\0{name}" for name in known])
    body = _node(root, strings, known)
    texts = list(strings.all)
    texts[: len(known)] = [name.removeprefix("android:") if names else "" for name in known]
    numbers = b"".join(struct.pack("<I", IDS[name.removeprefix("android:")]) for name in known)
    pool = string_pool(texts, utf8=utf8)
    return chunk(0x0003, b"", pool + chunk(0x0180, b"", numbers) + body)


def _all(node: Node) -> list[Node]:
    below = [one for child in node.children if isinstance(child, Node) for one in _all(child)]
    return [node, *below]


def _node(node: Node, strings: _Strings, known: list[str]) -> bytes:
    line = struct.pack("<II", 1, NONE)
    attributes = b""
    for name, value in node.attributes.items():
        namespace = strings(ANDROID) if name.startswith("android:") else NONE
        if name.startswith(":"):
            namespace = strings("")
        plain = name.removeprefix("android:").removeprefix(":")
        number = known.index(name) if name in known else strings(plain)
        type, data = typed(value, strings)
        raw = data if type == STRING else NONE
        if name in node.sources:
            raw = strings(node.sources[name])
        attributes += struct.pack("<IIIHBBI", namespace, number, raw, 8, 0, type, data)
    own = strings(node.name)
    head = struct.pack("<IIHHHHHH", NONE, own, 20, 20, len(node.attributes), 0, 0, 0)
    written = chunk(0x0102, line, head + attributes)
    for child in node.children:
        if isinstance(child, Node):
            written += _node(child, strings, known)
        else:
            text = strings(child)
            written += chunk(0x0104, line, struct.pack("<IHBBI", text, 8, 0, 0, 0))
    return written + chunk(0x0103, line, struct.pack("<II", NONE, own))


def config(language: str = "", region: str = "", sdk: int = 0, density: int = 0) -> bytes:
    return struct.pack(
        "<IHH2s2sBBHIHHHH24s",
        *(52, 0, 0, language.encode(), region.encode(), 0, 0, density, 0, 0, 0, sdk, 0, b""),
    )


def table(
    resources: Mapping[int, Mapping[bytes, Given | Sequence[Given]]],
    *,
    utf8: bool = True,
    flags: int = 0,
    compact: bool = False,
) -> bytes:
    """Of package 0x7f. A sequence is an array. `flags` are a type's: 1 sparse, 2 short offsets."""
    strings = _Strings([])
    types: dict[tuple[int, bytes], dict[int, bytes]] = {}
    for number, values in resources.items():
        for where, value in values.items():
            entry = _entry(value, strings, compact)
            types.setdefault((number >> 16 & 0xFF, where), {})[number & 0xFFFF] = entry
    body = b"".join(_type(type, where, entries, flags) for (type, where), entries in types.items())
    names = string_pool(["t"] * max(type for type, _ in types)), string_pool(["k"])
    head = struct.pack("<I256sIIIII", 0x7F, "x".encode("utf-16-le"), 288, 0, 0, 0, 0)
    package = chunk(0x0200, head, names[0] + names[1] + body)
    pool = string_pool(strings.all, utf8=utf8)
    return chunk(0x0002, struct.pack("<I", 1), pool + package)


def _entry(value: Given | Sequence[Given], strings: _Strings, compact: bool) -> bytes:
    if not isinstance(value, (str, int, Value)):
        items = b"".join(
            struct.pack("<IHBBI", 0x02000000 + number, 8, 0, *typed(one, strings))
            for number, one in enumerate(value)
        )
        return struct.pack("<HHIII", 16, 1, 0, 0, len(value)) + items
    type, data = typed(value, strings)
    if compact:
        return struct.pack("<HHI", 0, 8 | type << 8, data)
    return struct.pack("<HHIHBBI", 8, 0, 0, 8, 0, type, data)


def _type(type: int, where: bytes, entries: dict[int, bytes], flags: int) -> bytes:
    content, places = b"", dict[int, int]()
    for index, entry in sorted(entries.items()):
        places[index] = len(content)
        content += entry
    if flags & 1:
        offsets = b"".join(struct.pack("<HH", one, at // 4) for one, at in places.items())
        count = len(places)
    else:
        count = max(entries) + 1
        layout, none, scale = ("<H", 0xFFFF, 4) if flags & 2 else ("<I", NONE, 1)
        offsets = b"".join(
            struct.pack(layout, places[one] // scale if one in places else none)
            for one in range(count)
        )
        offsets += b"\0" * (-len(offsets) % 4)
    start = 20 + len(where) + len(offsets)
    head = struct.pack("<BBHII", type, flags, 0, count, start) + where
    return chunk(0x0201, head, offsets + content)


def manifest(
    package: str = "org.example.small",
    *children: Node,
    application: Mapping[str, Given] | None = None,
    least: int | str = 26,
    target: int = 33,
    **attributes: Given,
) -> Node:
    """With a launcher's activity where no children are given. `split` is a plain attribute."""
    plain = {name: value for name, value in attributes.items() if name == "split"}
    others = {f"android:{name}": value for name, value in attributes.items() if name not in plain}
    if not children:
        children = (activity(),)
    return Node(
        "manifest",
        {"package": package, "android:versionCode": 1, "android:versionName": "1.0", **plain}
        | others,
        (
            Node("uses-sdk", {"android:minSdkVersion": least, "android:targetSdkVersion": target}),
            Node("application", application or {"android:label": "Small"}, children),
        ),
    )


def activity(name: str = ".Main", **more: Given) -> Node:
    filter = Node(
        "intent-filter",
        {},
        (Node("action", {"android:name": MAIN}), Node("category", {"android:name": LAUNCHER})),
    )
    given: dict[str, Given] = {"android:name": name, "android:exported": True}
    return Node("activity", given | {f"android:{key}": one for key, one in more.items()}, (filter,))


def archive(files: Mapping[str, bytes], *, deflate: bool = True) -> bytes:
    made = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
    with zipfile.ZipFile(made, "w", method) as writing:
        for name, content in files.items():
            writing.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, method)
    return made.getvalue()


def signed(apk: bytes, certificates: Mapping[int, bytes]) -> bytes:
    """With a block that says who signed it, by scheme; the signatures themselves are left out."""
    pairs = b""
    for scheme, certificate in certificates.items():
        id = {2: 0x7109871A, 3: 0xF05368C0}[scheme]
        data = _sized(b"") + _sized(_sized(certificate)) + _sized(b"")
        value = _sized(_sized(_sized(data) + _sized(b"") + _sized(b"key")))
        pairs += struct.pack("<QI", 4 + len(value), id) + value
    size = len(pairs) + 24
    block = struct.pack("<Q", size) + pairs + struct.pack("<Q", size) + b"APK Sig Block 42"
    end = apk.rindex(b"PK\x05\x06")
    (start,) = struct.unpack_from("<I", apk, end + 16)
    moved = struct.pack("<I", start + len(block))
    return apk[:start] + block + apk[start : end + 16] + moved + apk[end + 20 :]


def _sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def small_apk(
    root: Node | None = None,
    *,
    certificate: bytes | None = b"a certificate",
    resources: bytes | None = None,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """A whole package."""
    files = {"AndroidManifest.xml": xml(root or manifest())}
    if resources is not None:
        files["resources.arsc"] = resources
    apk = archive({**files, **(more or {})})
    return apk if certificate is None else signed(apk, {2: certificate})
