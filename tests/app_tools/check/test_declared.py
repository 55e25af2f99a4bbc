"""APKs as their makers have them checked."""

from pathlib import Path

import pytest

from app_formats.apk.tool_packages import capability, provider, service, tool_apk
from app_formats.apk.writer import Node, reference, small_apk
from handheld.app_tools.check.declared import check_file
from handheld.app_tools.check.finding import Severity

DESCRIPTION = "mobile.mcp.tool.description"
NAME = "mobile.mcp.tool.name"
CAPABILITIES = "mobile.mcp.tool.capabilities"
SOUND = {
    NAME: {"android:value": "Counter"},
    DESCRIPTION: {"android:value": "Counts."},
    CAPABILITIES: {"android:resource": reference(0x7F020000)},
}


def check(folder: Path, apk: bytes) -> list[tuple[str, str, str]]:
    file = folder / "counter.apk"
    file.write_bytes(apk)
    return [(one.verdict.value, one.subject, one.sentence) for one in check_file(file)]


def wrong(folder: Path, apk: bytes) -> list[tuple[str, str, str]]:
    return [one for one in check(folder, apk) if one[0] != Severity.OK.value]


def test_a_sound_package_has_nothing_but_good_lines(tmp_path: Path) -> None:
    assert check(tmp_path, tool_apk()) == [
        ("ok", "package", "org.example.counter, version 1.0 (1), label 'Counter'."),
        ("ok", "signature", "It is signed."),
        ("ok", "service org.example.counter.Tools", "It is exported and asks for no permission."),
        ("ok", "service org.example.counter.Tools", "mobile.mcp.tool.name is 'Counter'."),
        (
            "ok",
            "service org.example.counter.Tools",
            "mobile.mcp.tool.description is 'Counts things.'.",
        ),
        ("ok", "descriptor", "Capabilities that can be used: count."),
        (
            "ok",
            "provider org.example.counter.Provider",
            "It is exported and asks for no permission.",
        ),
        (
            "ok",
            "provider org.example.counter.Provider",
            "It is found, under the authority org.example.counter.tools.",
        ),
    ]


TOOLS = "service org.example.counter.Tools"
PROVIDER = "provider org.example.counter.Provider"


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        (
            (service(exported=False),),
            [("problem", TOOLS, "It is not exported, so nobody can call it.")],
        ),
        (
            (service(permission="a.b.C"),),
            [
                (
                    "warning",
                    TOOLS,
                    "It demands the permission a.b.C of its callers, which adb and most agents do"
                    " not have.",
                )
            ],
        ),
        (
            (service(), service(name=".Second")),
            [
                (
                    "problem",
                    "services",
                    "2 services have the action mobile.mcp.SERVICE; exactly one may.",
                )
            ],
        ),
        (
            (service(action="mobile.mcp.SERVICES"),),
            [
                (
                    "problem",
                    TOOLS,
                    "It has meta-data of Mobile MCP and no filter with mobile.mcp.SERVICE.",
                )
            ],
        ),
        ((service(enabled=False),), [("problem", TOOLS, "It is disabled.")]),
        (
            (service({**SOUND, NAME: {"android:value": " "}, DESCRIPTION: {"other": "x"}}),),
            [
                ("problem", TOOLS, "It has no meta-data mobile.mcp.tool.name."),
                ("problem", TOOLS, "It has no meta-data mobile.mcp.tool.description."),
            ],
        ),
        (
            (service({**SOUND, NAME: {"android:resource": reference(0x7F010000)}}),),
            [
                (
                    "problem",
                    TOOLS,
                    "Its meta-data mobile.mcp.tool.name is a resource's number, not text.",
                ),
                ("problem", TOOLS, "It has no meta-data mobile.mcp.tool.name."),
            ],
        ),
        (
            (service({**SOUND, CAPABILITIES: {"android:value": "capabilities.xml"}}),),
            [
                (
                    "problem",
                    TOOLS,
                    "It has no meta-data mobile.mcp.tool.capabilities that names an XML resource.",
                )
            ],
        ),
        (
            (service({**SOUND, CAPABILITIES: {"android:resource": reference(0x7F010000)}}),),
            [
                (
                    "problem",
                    TOOLS,
                    "Its meta-data mobile.mcp.tool.capabilities names no XML resource of the app.",
                )
            ],
        ),
        (
            (provider(""),),
            [("problem", PROVIDER, "It has no authority, so nobody can call it.")],
        ),
        (
            (provider(action="android.intent.action.EDIT"),),
            [
                (
                    "problem",
                    PROVIDER,
                    "It has a filter for application/vnd.mcp.tool without the action"
                    " android.intent.action.VIEW, so it is not found.",
                )
            ],
        ),
        (
            (Node("service", {"android:name": ".Idle", "android:exported": False}),),
            [
                (
                    "problem",
                    "offers",
                    "It offers nothing: no service has an intent filter with the action"
                    " mobile.mcp.SERVICE or android.app.appfunctions.AppFunctionService, and no"
                    " provider one for application/vnd.mcp.tool.",
                )
            ],
        ),
    ],
    ids=lambda value: value[0][2][:60] if isinstance(value, list) else "",
)
def test_what_is_wrong_in_the_manifest_is_named(
    components: tuple[Node, ...], expected: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    assert wrong(tmp_path, tool_apk("org.example.counter", *components)) == expected


def test_a_component_must_declare_whether_it_is_exported(tmp_path: Path) -> None:
    bare = service()
    silent = {name: one for name, one in bare.attributes.items() if name != "android:exported"}
    apk = tool_apk("org.example.counter", Node("service", silent, bare.children))
    assert wrong(tmp_path, apk) == [
        (
            "problem",
            TOOLS,
            "It does not say whether it is exported, and with target 33 Android does not install"
            " that.",
        )
    ]


def test_an_intent_filter_with_data_is_reported(tmp_path: Path) -> None:
    bare = service()
    asking = Node(
        "intent-filter",
        {},
        (
            Node("action", {"android:name": "mobile.mcp.SERVICE"}),
            Node("data", {"android:scheme": "mcp"}),
        ),
    )
    apk = tool_apk(
        "org.example.counter", Node("service", bare.attributes, (asking, *bare.children[1:]))
    )
    assert wrong(tmp_path, apk) == [
        (
            "problem",
            TOOLS,
            "Its filter with mobile.mcp.SERVICE asks for data too, which no agent sends.",
        )
    ]


@pytest.mark.parametrize(
    ("descriptor", "expected"),
    [
        (
            capability().replace(' version="1.0"', ""),
            [
                (
                    "warning",
                    "descriptor",
                    'root <mobile-mcp-capabilities>: has no version; it must be version="1.0".',
                )
            ],
        ),
        (
            capability().replace('version="1.0"', 'version="3.0"'),
            [
                (
                    "problem",
                    "descriptor",
                    "root <mobile-mcp-capabilities>: has version '3.0', of which only '1.0' is"
                    " known.",
                )
            ],
        ),
        (
            capability().replace('required="true"', 'required="yes"'),
            [
                (
                    "problem",
                    "descriptor",
                    'param 1 of input of capability "count": has required="yes"; it must be "true"'
                    ' or "false".',
                ),
                ("problem", "descriptor", "No capability in it can be used."),
            ],
        ),
        (
            capability().replace('name="amount" type="int"', 'name="how much" type="euro"'),
            [
                (
                    "problem",
                    "capability count",
                    "It has a parameter 'how much'; a name is 1 to 64 letters, digits, dots,"
                    " hyphens and underscores.",
                ),
                (
                    "warning",
                    "capability count",
                    "Parameter 'how much' has the type 'euro', which nobody has agreed on; its"
                    " values are sent as strings.",
                ),
            ],
        ),
        (
            capability(description=" "),
            [("warning", "capability count", "Its description is empty.")],
        ),
    ],
)
def test_what_is_wrong_in_the_descriptor_is_named(
    descriptor: str, expected: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    assert wrong(tmp_path, tool_apk(descriptor=descriptor)) == expected


@pytest.mark.parametrize(
    ("apk", "expected"),
    [
        (b"no archive", ("problem", "package", "counter.apk: it is not a zip archive.")),
        (
            small_apk(certificate=None)[:-30],
            ("problem", "package", "counter.apk: it is not a zip archive."),
        ),
        (
            tool_apk(certificate=None),
            (
                "warning",
                "signature",
                "It is not signed, and Android installs nothing that is not.",
            ),
        ),
    ],
    ids=["no archive", "cut off", "not signed"],
)
def test_what_is_wrong_with_the_file_is_named(
    apk: bytes, expected: tuple[str, str, str], tmp_path: Path
) -> None:
    assert wrong(tmp_path, apk) == [expected]
