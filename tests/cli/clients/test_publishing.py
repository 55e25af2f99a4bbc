"""What registries, bundles and plugins say of Handheld is true."""

import json
import re
import runpy
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.clients.machine import make_machine
from handheld import __version__
from handheld.cli.arguments import parse
from handheld.cli.clients.catalog import BY_ID
from handheld.cli.clients.entry import describe_entry
from handheld.cli.clients.links import FROM_INDEX
from handheld.settings import load, options
from harness.packages import IMPORT_PACKAGES

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugins" / "handheld"
SKILL = PLUGIN / "skills" / "handheld" / "SKILL.md"


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def tools() -> dict[str, Any]:
    """What clients get of each tool for models."""
    lists = read_json(ROOT / "tests" / "server" / "tool_lists.json")
    return {tool["name"]: tool["inputSchema"] for tool in lists["/mcp/agent"]}


def test_server_json_fits_the_schema_of_the_registry() -> None:
    schema = read_json(Path(__file__).parent / "registry" / "server.schema.json")
    server = read_json(ROOT / "server.json")
    assert server["$schema"] == schema["$id"]
    jsonschema.Draft7Validator(schema).validate(server)


def test_server_json_names_this_version_and_what_readme_owns() -> None:
    server = read_json(ROOT / "server.json")
    [package] = server["packages"]
    assert (server["version"], package["version"]) == (__version__, __version__)
    # The registry looks for this in the description that the package index shows.
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"mcp-name: (\S+)", readme) == [server["name"]]


def test_server_json_names_arguments_and_variables_that_there_are() -> None:
    [package] = read_json(ROOT / "server.json")["packages"]
    command, phone = package["packageArguments"]
    given = parse([command["value"], f"{phone['name']}=virtual", f"{phone['name']}=R58"])
    assert load(vars(given), {"HANDHELD_HOME": "/nowhere"}).phones == ("virtual", "R58")
    known = {option.variable for option in options()}
    assert {each["name"] for each in package["environmentVariables"]} <= known


def test_the_same_files_make_the_same_bundle(tmp_path: Path) -> None:
    write = runpy.run_path(str(ROOT / "scripts" / "mcpb.py"))["write_bundle"]
    write(tmp_path / "a.mcpb", {"b": b"2", "a/c": b"1"})
    write(tmp_path / "b.mcpb", {"a/c": b"1", "b": b"2"})
    assert (tmp_path / "a.mcpb").read_bytes() == (tmp_path / "b.mcpb").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.mcpb") as bundle:
        assert {each.filename: each.date_time[0] for each in bundle.infolist()} == {
            "a/c": 1980,
            "b": 1980,
        }


def test_the_bundle_has_this_package_and_its_settings_exist() -> None:
    names: dict[str, bytes] = runpy.run_path(str(ROOT / "scripts" / "mcpb.py"))["contents"]()
    manifest = json.loads(names["manifest.json"])
    assert {manifest["server"]["entry_point"], "pyproject.toml", "LICENSE"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]
    assert {f"src/{name}/__init__.py" for name in IMPORT_PACKAGES} <= set(names)
    built = tomllib.loads(names["pyproject.toml"].decode())["tool"]["hatch"]["build"]
    assert set(built["targets"]["wheel"]["packages"]) == {f"src/{name}" for name in IMPORT_PACKAGES}
    assert manifest["version"] == __version__
    assert {tool["name"] for tool in manifest["tools"]} == tools().keys()
    variables = {option.variable for option in options()}
    environment = manifest["server"]["mcp_config"]["env"]
    assert environment.keys() <= variables
    # Nothing is filled in at first: then the options have their defaults.
    empty = load({}, {**dict.fromkeys(environment, ""), "HANDHELD_HOME": "/nowhere"})
    assert (empty.phones, empty.toolsets.on) == ((), ())
    assert set(environment.values()) == {
        f"${{user_config.{name}}}" for name in manifest["user_config"]
    }


def test_the_plugin_starts_what_installing_from_the_index_does() -> None:
    assert read_json(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == __version__
    entry = BY_ID["cursor"].local.entry(FROM_INDEX)
    assert read_json(PLUGIN / ".mcp.json") == json.loads(describe_entry(BY_ID["cursor"], entry))
    [listed] = read_json(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / listed["source"]) == PLUGIN
    assert listed["name"] == read_json(PLUGIN / ".claude-plugin" / "plugin.json")["name"]


def calls() -> list[tuple[str, str]]:
    """The calls that the skill shows: a tool and its arguments."""
    return re.findall(r"`(phone_\w+) (\{.*?\})`", SKILL.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "text"), calls())
def test_a_call_in_the_skill_is_one_that_the_tool_takes(name: str, text: str) -> None:
    arguments = json.loads(text)
    schema = {**tools()[name], "additionalProperties": False}
    jsonschema.Draft202012Validator(schema).validate(arguments)
    for step in arguments.get("steps", ()):
        tool = {**tools()[f"phone_{step.pop('tool')}"], "additionalProperties": False}
        jsonschema.Draft202012Validator(tool).validate(step)


def test_the_skill_names_no_tool_or_parameter_that_does_not_exist() -> None:
    text = SKILL.read_text(encoding="utf-8")
    assert len(calls()) > 20
    words = set(re.findall(r"`([a-z_]+)`", text))
    parameters = {name for schema in tools().values() for name in schema.get("properties", {})}
    assert words <= tools().keys() | parameters
    assert set(re.findall(r"phone_\w+", text)) - {"phone_"} <= tools().keys()


def test_the_skill_is_short_and_says_when_it_is_of_use() -> None:
    text = SKILL.read_text(encoding="utf-8")
    head = re.match(r"---\nname: handheld\ndescription: ([^:\n]+)\n---\n", text)
    assert head is not None, "a colon would have to be quoted"
    assert len(head[1]) <= 1024
    assert len(text) < 6000


def test_every_client_of_the_catalog_is_on_the_page_about_clients() -> None:
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    machine = make_machine(Path("/home/anna"))
    for client in BY_ID.values():
        assert f"| `{client.id}` |" in page
        assert client.file(next(client.scopes()), machine) is not None
