"""Parsing the output of Android's package manager."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.reading.package_lists import (
    BadList,
    FileState,
    ListedComponent,
    ListedPackage,
    read_components,
    read_packages,
    read_resolver,
    read_states,
)

SERVICES = "Service Resolver Table:"
PROVIDERS = "Provider Resolver Table:"
TABLES = """\
Service Resolver Table:
  Non-Data Actions:
      mobile.mcp.SERVICE:
        af9bd22 com.example.mcpdemo/.Gateway filter 761c415
        1a2b3c4 org.example/org.elsewhere.Tools$Inner filter 5d6e7f8 permission a.b.C
      other.ACTION:
        1a2b3c4 org.example/.Other filter 5d6e7f8

Provider Resolver Table:
  Full MIME Types:
      application/vnd.mcp.tool:
        cd8b2af org.example/.Weather filter 84105b4
          Action: "android.intent.action.VIEW"
          StaticType: "application/vnd.mcp.tool"

  MIME Typed Actions:
      android.intent.action.VIEW:
        cd8b2af org.example/.Weather filter 84105b4
      se.premex.mcp.MCP_PROVIDER:
        cd8b2af org.example/.Weather filter 84105b5
        11111 org.example/.Second filter 84105b6
"""


def test_components_are_read_from_the_tables() -> None:
    assert read_resolver(TABLES, SERVICES, ["mobile.mcp.SERVICE"]) == [
        ListedComponent("com.example.mcpdemo", "com.example.mcpdemo.Gateway"),
        ListedComponent("org.example", "org.elsewhere.Tools$Inner"),
    ]
    keys = ["application/vnd.mcp.tool", "se.premex.mcp.MCP_PROVIDER"]
    assert read_resolver(TABLES, PROVIDERS, keys) == [
        ListedComponent("org.example", "org.example.Weather"),
        ListedComponent("org.example", "org.example.Second"),
    ]
    assert read_resolver(TABLES, PROVIDERS, ["mobile.mcp.SERVICE"]) == []


ACTIVITIES = "Activity Resolver Table:"


@pytest.mark.parametrize(
    ("name", "table", "key", "components"),
    [
        (
            "services-api29",
            SERVICES,
            "mobile.mcp.SERVICE",
            [
                ListedComponent("org.example.notes", "org.example.notes.McpService"),
                ListedComponent("org.example.radio", "org.example.player.Tools$Service"),
            ],
        ),
        (
            "services-api29",
            SERVICES,
            "android.service.wallpaper.WallpaperService",
            [ListedComponent("org.example.faces", "org.example.faces.AnalogFace")],
        ),
        (
            "services-api29",
            SERVICES,
            "content",
            [ListedComponent("org.example.sync", "org.example.sync.PullService")],
        ),
        ("services-api29", SERVICES, "android.intent.action.BOOT_COMPLETED", []),
        ("services-api29", PROVIDERS, "mobile.mcp.SERVICE", []),
        (
            "package-api34",
            PROVIDERS,
            "se.premex.mcp.MCP_PROVIDER",
            [ListedComponent("org.example.notes", "org.example.notes.tools.NotesProvider")],
        ),
        (
            "package-api34",
            ACTIVITIES,
            "https",
            [ListedComponent("org.example.notes", "org.example.notes.ShareActivity")],
        ),
        ("package-api34", SERVICES, "mobile.mcp.SERVICE", []),
        # The headings after the tables are not tables.
        ("package-api34", "Packages:", "gids=[3003]", []),
    ],
)
def test_components_are_read_from_a_recorded_dump(
    name: str, table: str, key: str, components: list[ListedComponent]
) -> None:
    assert read_resolver(fixtures.text(f"dumpsys/{name}.txt"), table, [key]) == components


def test_queried_components_must_be_whole_lines() -> None:
    assert read_components("a.b/.C\na.b/d.E\n") == [
        ListedComponent("a.b", "a.b.C"),
        ListedComponent("a.b", "d.E"),
    ]
    assert read_components("No services found\n") == []
    with pytest.raises(BadList, match="Unknown option: --user"):
        read_components("java.lang.RuntimeException: Unknown option: --user\n\tat com.android\n")


def test_packages_are_listed_with_their_files() -> None:
    printed = (
        "package:/data/app/~~LxpKq02WyDZ==/com.example-RQYp==/base.apk=com.example versionCode:12\n"
        "package:/system/app/A=B/A.apk=a versionCode:4294967297 uid:10123\n"
    )
    assert read_packages(printed) == {
        "com.example": ListedPackage("/data/app/~~LxpKq02WyDZ==/com.example-RQYp==/base.apk", 12),
        "a": ListedPackage("/system/app/A=B/A.apk", 4294967297),
    }


@pytest.mark.parametrize("printed", ["", "\n", "Error: java.lang.SecurityException: Shell\n"])
def test_output_without_packages_is_rejected(printed: str) -> None:
    with pytest.raises(BadList):
        read_packages(printed)


def test_states_of_files_are_read_by_path() -> None:
    assert read_states("12 1700000000 /data/app/a b/base.apk\n") == {
        "/data/app/a b/base.apk": FileState(12, 1700000000)
    }
    with pytest.raises(BadList):
        read_states("? ? /x\n")


@given(st.text())
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    for read in (read_components, read_packages, read_states):
        with suppress(BadList):
            read(text)
    assert read_resolver(f"{PROVIDERS}\n {text}", SERVICES, ["x"]) == []
