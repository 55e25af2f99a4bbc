"""Packages made by Android's own tools, and what those tools say of ours."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from apks.build import FRAMEWORK, build, certificate, need_tools
from handheld.app_formats.apk.archive import Archive
from handheld.app_formats.apk.binary_xml import XmlElement
from handheld.app_formats.apk.manifest import Component, Filter, Manifest, ManifestKind, MetaData
from handheld.app_formats.apk.values import REFERENCE, Value
from harness.polling import HANG

from .test_archive import full_apk

pytestmark = pytest.mark.needs_aapt

CAPABILITIES = 0x7F040000


@pytest.fixture(autouse=True)
def tools() -> None:
    need_tools()


def test_real_package_declares_what_its_source_states():
    with Archive(build("tools"), locale="de-AT") as apk:
        assert apk.manifest() == Manifest(
            package="org.example.tools",
            label="Werkzeuge und größere Dinge",
            version_name="1.2-beta",
            version_code=7,
            min_sdk=26,
            target_sdk=33,
            sdk_line=6,
            debuggable=True,
            application="org.example.tools.ToolsApplication",
            permissions=("android.permission.INTERNET", "android.permission.READ_CONTACTS"),
            components=(
                Component(
                    ManifestKind.ACTIVITY,
                    "org.example.tools.Main",
                    exported=True,
                    label="Werkzeuge und größere Dinge",
                    filters=(
                        Filter(
                            ("android.intent.action.MAIN",), ("android.intent.category.LAUNCHER",)
                        ),
                        Filter(
                            ("android.intent.action.VIEW",),
                            (
                                "android.intent.category.DEFAULT",
                                "android.intent.category.BROWSABLE",
                            ),
                            schemes=("https", "tool"),
                            hosts=("example.org",),
                            mime_types=("text/plain",),
                            priority=5,
                        ),
                    ),
                    line=19,
                ),
                Component(
                    ManifestKind.ACTIVITY,
                    "org.elsewhere.Second",
                    enabled=False,
                    exported_stated=False,
                    line=32,
                ),
                Component(
                    ManifestKind.ACTIVITY,
                    "org.example.tools.Alias",
                    target="org.example.tools.Main",
                    line=33,
                ),
                Component(
                    ManifestKind.SERVICE,
                    "org.example.tools.ToolService",
                    exported=True,
                    permission="org.example.tools.USE",
                    filters=(Filter(("mobile.mcp.SERVICE",)),),
                    meta_data={"capabilities": MetaData(resource=CAPABILITIES)},
                    line=35,
                ),
                Component(ManifestKind.RECEIVER, "org.example.tools.Boot", line=42),
                Component(
                    ManifestKind.PROVIDER,
                    "org.example.tools.Facts",
                    exported=True,
                    authorities=("org.example.tools.facts", "tools.more"),
                    line=43,
                ),
            ),
            meta_data={
                "count": MetaData("16"),
                "mask": MetaData("0xff"),
                "ratio": MetaData("1.5"),
                "on": MetaData("true"),
                "colour": MetaData("#88ffffff"),
                "size": MetaData("12.5dip", 0x7F020000),
                "words": MetaData("A word or two", 0x7F030003),
                "capabilities": MetaData(resource=CAPABILITIES),
            },
        )


@pytest.mark.parametrize(
    ("locale", "label"),
    [(None, "Tools 🧰 & more"), ("pt-BR", "Ferramentas"), ("pt-PT", "Tools 🧰 & more")],
)
def test_real_package_has_strings_for_each_locale(locale: str | None, label: str):
    with Archive(build("tools"), locale=locale) as apk:
        assert apk.manifest().label == label


def outline(element: XmlElement) -> object:
    attributes = {one.name: one.value.coerce() for one in element.attributes}
    children = [one if isinstance(one, str) else outline(one) for one in element.children]
    return element.name, attributes, children


def test_real_xml_resource_is_read_with_its_text():
    with Archive(build("tools"), sdk=29) as apk:
        root = apk.xml(CAPABILITIES)
    assert root is not None
    assert outline(root) == (
        "capabilities",
        {"version": "2"},
        [
            (
                "tool",
                {"label": "@2130903043", "name": "add", "times": "3"},
                ["Adds ", ("b", {}, ["two"]), " numbers"],
            ),
            ("schema", {}, ['{"type": "object", "a<b": [1, 2]}']),
        ],
    )
    with Archive(build("tools"), sdk=30) as apk:
        newer = apk.xml(CAPABILITIES)
    assert newer is not None
    assert outline(newer) == ("capabilities", {"version": "30"}, [])


def test_real_array_is_read():
    with Archive(build("tools")) as apk:
        resources = apk.resources
        assert resources is not None
        bag = resources.bag(0x7F010000)
        assert bag is not None
        assert [resources.follow(item.value).text for item in bag] == ["add", "A word or two"]


@pytest.mark.parametrize("schemes", [(1,), (1, 2), (2, 3)])
def test_signer_of_a_real_package_is_found(schemes: tuple[int, ...]):
    with Archive(build("plain", schemes=schemes)) as apk:
        digest = hashlib.sha256(certificate("one")).hexdigest()
        assert apk.signer() == (digest, max(schemes))


def test_a_real_package_that_nobody_signed_has_no_signer():
    with Archive(build("plain", signer=None)) as apk:
        assert apk.signer() is None


def test_a_real_split_says_which_part_it_is():
    with Archive(build("split")) as apk:
        manifest = apk.manifest()
        assert (manifest.package, manifest.split) == ("org.example.plain", "more")


def test_the_largest_package_that_debian_has_is_read():
    with Archive(FRAMEWORK) as apk:
        manifest = apk.manifest()
        assert (manifest.package, manifest.label) == ("android", "Android System")
        assert apk.resources is not None
        assert apk.resources.follow(Value(REFERENCE, 0x01040000)).text == "Cancel"


def dump(*words: str, apk: Path) -> str:
    done = subprocess.run(
        ["aapt2", "dump", *words, str(apk)], capture_output=True, timeout=HANG, check=True
    )
    return done.stdout.decode()


def test_androids_own_tool_reads_what_the_tests_write(tmp_path: Path):
    # So that what our reader is tested with is what Android means.
    apk = tmp_path / "full.apk"
    apk.write_bytes(full_apk())
    tree = dump("xmltree", "--file", "AndroidManifest.xml", apk=apk)
    for line in (
        'A: package="org.example.full" (Raw: "org.example.full")',
        "A: http://schemas.android.com/apk/res/android:versionCode(0x0101021b)=5",
        "A: http://schemas.android.com/apk/res/android:label(0x01010001)=@0x7f010000",
        "A: http://schemas.android.com/apk/res/android:testOnly(0x01010272)=true",
        'android:authorities(0x01010018)="one;two" (Raw: "one;two")',
    ):
        assert line in tree
    resources = dump("resources", apk=apk)
    for line in ('() "Full"', '(de) "Voll"', "12.000000dp"):
        assert line in resources
