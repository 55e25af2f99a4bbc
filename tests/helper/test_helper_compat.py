"""The comparison with each version of Android, on class files built by hand."""

import importlib.util
import struct
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def _load(name: str) -> Any:
    """The script is not a package: it is loaded from its file."""
    spec = importlib.util.spec_from_file_location(name, _SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


dex, compat = _load("dex"), _load("helper_compat")


class Pool:
    """Builds a constant pool."""

    def __init__(self) -> None:
        self.data = b""
        self.count = 1

    def add(self, tag: int, body: bytes, *, places: int = 1) -> int:
        number = self.count
        self.data += bytes([tag]) + body
        self.count += places
        return number

    def text(self, raw: bytes) -> int:
        return self.add(1, struct.pack(">H", len(raw)) + raw)

    def type(self, name: str) -> int:
        return self.add(7, struct.pack(">H", self.text(name.encode())))

    def member(self, tag: int, owner: str, name: str, kind: str) -> int:
        described = struct.pack(">HH", self.text(name.encode()), self.text(kind.encode()))
        return self.add(tag, struct.pack(">HH", self.type(owner), self.add(12, described)))


def make_class(
    name: str,
    *,
    parents: Sequence[str] = ("java/lang/Object",),
    fields: Sequence[tuple[str, str]] = (),
    methods: Sequence[tuple[str, str]] = (),
    flags: int = 1,
    names: Sequence[tuple[int, str, str, str]] = (),
    raw: Sequence[tuple[int, bytes, int]] = (),
    version: int = 52,
) -> bytes:
    pool = Pool()
    for tag, body, places in raw:
        pool.add(tag, body, places=places)
    for tag, owner, member, kind in names:
        pool.member(tag, owner, member, kind)
    this, above = pool.type(name), [pool.type(parent) for parent in parents]
    body = struct.pack(">HHHH", 1, this, above[0], len(above) - 1)
    body += b"".join(struct.pack(">H", number) for number in above[1:])
    for members in (fields, methods):
        body += struct.pack(">H", len(members))
        for member, kind in members:
            words = pool.text(member.encode()), pool.text(kind.encode())
            # With one attribute, which is skipped.
            body += struct.pack(">HHHH", flags, *words, 1)
            body += struct.pack(">HI", pool.text(b"Signature"), 2) + b"\0\1"
    body += struct.pack(">H", 0)
    return struct.pack(">IHHH", 0xCAFEBABE, 0, version, pool.count) + pool.data + body


def make_android(folder: Path, *classes: bytes, own: Sequence[Any] = ()) -> Any:
    jar = folder / f"android{len(list(folder.iterdir()))}.jar"
    with zipfile.ZipFile(jar, "w") as file:
        for data in classes:
            file.writestr(f"{compat.read_class(data).name}.class", data)
    return compat.Android(jar, {one.name: one for one in own})


def make_dex(named: set[tuple[str, str]], *own: Any) -> Any:
    return dex.Dex(frozenset(named), {one.name: one for one in own})


def make_part(*forms: tuple[str, str, tuple[str, ...]], kind: str = "METHOD") -> Any:
    made = tuple(compat.Form(owner, name, types, "why") for owner, name, types in forms)
    return compat.Part("Compat.PART", kind, False, made)


CLIPBOARD = make_class(
    "android/content/IClipboard",
    parents=("java/lang/Object", "android/os/IInterface"),
    fields=(("mContext", "I"),),
    methods=(("get", "(Ljava/lang/String;I)V"), ("<init>", "()V")),
)


def test_a_class_file_gives_its_name_parents_and_members() -> None:
    found = compat.read_class(CLIPBOARD)

    assert found == dex.Class(
        "android/content/IClipboard",
        1,
        ("java/lang/Object", "android/os/IInterface"),
        {"mContext:I": 1, "get(Ljava/lang/String;I)V": 1, "<init>()V": 1},
    )


def test_modified_utf_8_and_wide_constants_are_skipped() -> None:
    strange = b"\xc0\x80\xed\xa0\xbd\xed\xb8\x80"  # NUL, and an emoji as two surrogates
    data = make_class(
        "a/B",
        raw=((1, struct.pack(">H", len(strange)) + strange, 1), (5, bytes(8), 2), (6, bytes(8), 2)),
        names=((10, "c/D", "e", "()V"), (9, "c/D", "f", "I")),
    )

    assert compat.read_class(data) == dex.Class("a/B", 1, ("java/lang/Object",), {})


def test_a_file_that_is_not_a_class_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not a class file"):
        compat.read_class(b"PK\3\4" + bytes(20))


def test_the_first_form_that_a_version_has_is_found(tmp_path: Path) -> None:
    android = make_android(tmp_path, CLIPBOARD)
    owner = "android.content.IClipboard"
    newer = (owner, "get", ("java.lang.String", "int", "boolean"))
    older = (owner, "get", ("java.lang.String", "int"))

    assert compat.form_in(make_part(newer, older), android) == 1
    assert compat.form_in(make_part(older, newer), android) == 0
    assert compat.form_in(make_part(newer), android) is None
    assert compat.form_in(make_part(("no.Such", "get", ())), android) is None
    assert compat.form_in(make_part((owner, "mContext", ()), kind="FIELD"), android) == 0
    assert compat.form_in(make_part((owner, "<init>", ()), kind="CONSTRUCTOR"), android) == 0


def test_a_member_missing_in_a_version_is_reported(tmp_path: Path) -> None:
    view = make_class("android/view/View", methods=(("draw", "()V"),), fields=(("top", "I"),))
    button = make_class("android/widget/Button", parents=("android/view/View",))
    ours = dex.Class("dev/Knob", 1, ("android/widget/Button",), {"turn()V": 1})
    android = make_android(tmp_path, view, button, own=[ours])
    named = {
        ("dev/Knob", ""),
        ("dev/Knob", "turn()V"),
        ("dev/Knob", "draw()V"),
        ("dev/Knob", "glow()V"),
        ("android/widget/Button", ""),
        ("android/widget/Button", "draw()V"),
        ("android/widget/Button", "top:I"),
        ("android/widget/Button", "top:J"),
        ("android/widget/Button", "hashCode()I"),
        ("android/widget/Button", "fly()V"),
        ("android/widget/Wing", ""),
        ("android/content/AttributionSource", ""),  # one for which the code checks the version
        ("java/util/Map", "never()V"),  # judged otherwise
    }
    made_up = make_part(("android.view.View", "glow", ("int",)))

    assert compat.problems_on(26, android, [made_up], make_dex(named, ours)) == [
        "26: Compat.PART is in none of its forms there",
        "26: android/widget/Button.fly()V is named and not there",
        "26: android/widget/Button.top:J is named and not there",
        "26: android/widget/Wing is named and not there",
        "26: dev/Knob.glow()V is named and not there",
    ]


def test_methods_that_android_calls_must_exist_in_our_class(tmp_path: Path) -> None:
    sender = make_class("android/Sender", methods=(("send", "(I)V"), ("stop", "()V")), flags=0x401)
    stub = make_class(
        "android/Sender$Stub",
        parents=("java/lang/Object", "android/Sender"),
        methods=(("stop", "()V"),),
    )
    own = [
        dex.Class("dev/Right", 1, ("android/Sender$Stub",), {"send(I)V": 1}),
        dex.Class("dev/Wrong", 1, ("android/Sender$Stub",), {"send()V": 1}),
        dex.Class("dev/Half", 0x401, ("android/Sender$Stub",), {}),
        dex.Class("dev/Whole", 1, ("dev/Half",), {"send(I)V": 1}),
    ]
    android = make_android(tmp_path, sender, stub, own=own)

    assert compat.owed(make_dex(set(), *own), android) == ["dev/Wrong has no send(I)V"]


def test_a_member_with_another_type_in_some_version_is_reported(tmp_path: Path) -> None:
    methods = (("count", "()I"), ("find", "()V"))
    old = make_android(tmp_path, make_class("a/B", methods=methods, fields=(("size", "I"),)))
    other = (("count", "()J"), ("find", "()V"))
    new = make_android(tmp_path, make_class("a/B", methods=other, fields=(("size", "I"),), flags=9))
    parts = [
        make_part(("a.B", "count", ())),
        make_part(("a.B", "find", ())),
        make_part(("a.B", "gone", ())),
    ]

    assert compat.unlike_forms(parts, {26: old, 27: old}) == []
    assert compat.unlike_forms(parts, {26: old, 36: new}) == [
        "Compat.PART is count()I on 26, static count()J on 36",
        "Compat.PART is find()V on 26, static find()V on 36",
    ]


def test_an_optional_part_may_be_missing(tmp_path: Path) -> None:
    android = make_android(tmp_path, CLIPBOARD)
    optional = compat.Part("Compat.PART", "METHOD", True, ())

    assert compat.problems_on(26, android, [optional], make_dex(set())) == []


def test_the_jars_code_is_read_with_what_it_names() -> None:
    found = dex.read_jar(compat.JAR)

    replies = found.own["dev/handheld/helper/compat/Replies"]
    assert replies.flags & compat.ABSTRACT
    assert replies.parents == ("android/content/IIntentSender$Stub",)
    assert {"pending:Landroid/app/PendingIntent;", "pending()Landroid/app/PendingIntent;"} <= set(
        replies.members
    )
    assert ("android/system/Os", "dup(Ljava/io/FileDescriptor;)Ljava/io/FileDescriptor;") in (
        found.named
    )
    assert ("android/content/pm/PackageInfo", "versionName:Ljava/lang/String;") in found.named
    assert ("android/content/AttributionSource$Builder", "") in found.named


def test_no_other_process_writes_a_file_of_the_helper() -> None:
    """The media server may not read what it writes into a folder of the shell, and MediaRecorder
    gives it a descriptor for both."""
    classes = {owner for owner, _ in dex.read_jar(compat.JAR).named}

    assert "android/media/MediaMuxer" in classes
    assert "android/media/MediaRecorder" not in classes


def test_a_file_that_is_not_a_dex_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not a dex file"):
        dex.read_dex(b"PK\3\4" + bytes(20))


def test_the_page_is_compared_with_what_is_there(tmp_path: Path) -> None:
    androids = {26: make_android(tmp_path, CLIPBOARD)}
    parts = [make_part(("android.content.IClipboard", "get", ("java.lang.String", "int")))]
    head = "| part | 26 | 36 |\n|---|---|---|\n"
    forms = "\n| part | form | what | why |\n|---|---|---|---|\n| `Compat.PART` | 1 | x | why |\n"
    stale = [
        "Compat.PART is told otherwise in helper-compat.md: make tables WHAT=helper-compat",
    ]

    assert compat.stale_rows(f"{head}| `Compat.PART` | 1 | 2 |\n{forms}", parts, androids) == []
    assert compat.stale_rows(f"{head}| `Compat.PART` | 2 | 2 |\n{forms}", parts, androids) == stale
    assert compat.stale_rows(head + forms, parts, androids) == stale


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (make_class("a/B", names=((10, "java/util/List", "sort", "()V"),)), []),
        (
            make_class("a/B", names=((11, "java/util/function/Supplier", "get", "()V"),)),
            ["B names java/util/function/Supplier"],
        ),
        (
            make_class("a/B", names=((10, "java/lang/ClassValue", "get", "()V"),)),
            ["B names java/lang/ClassValue"],
        ),
        (
            make_class("a/B", raw=((18, struct.pack(">HH", 0, 1), 1),)),
            ["B has a lambda, or what is compiled like one"],
        ),
        (make_class("a/B", version=61), ["B is a class file of version 61"]),
    ],
    ids=["plain", "function", "missing", "lambda", "newer"],
)
def test_code_beyond_an_old_phones_java_is_reported(
    tmp_path: Path, data: bytes, problems: list[str]
) -> None:
    file = tmp_path / "B.class"
    file.write_bytes(data)

    assert compat.beyond_java(file) == problems
