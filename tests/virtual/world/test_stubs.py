"""Stubs: files of examples for the tools of installed apps."""

import json
from pathlib import Path

import pytest

from app_formats.apk.tool_packages import service, tool_apk
from app_formats.apk.writer import Node
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.app_functions import Document, FunctionFailed, read_functions
from handheld.app_formats.app_functions.file import read_file
from handheld.app_formats.mobile_mcp import CapabilityRequest, read_descriptor, read_response
from handheld.app_formats.tool_provider import execute_extras, read_tools
from handheld.app_tools.check.stub import write_stub
from handheld_virtual.packages.installing.stub import (
    LONGEST_EXAMPLE,
    LONGEST_FILE,
    MARK,
    BadStub,
    StubProvider,
    install_stub,
    load_stub,
)
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

COUNT = '[[tool]]\ncapability = "count"\n'
TOOL = '[[tool]]\nprovider = "org.example.counter.tools"\nname = "a"\ndescription = "b"\n'


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    (tmp_path / "counter.apk").write_bytes(tool_apk())
    return tmp_path / "counter.stub.toml"


def write(file: Path, tools: str) -> Path:
    file.write_text(f'apk = "counter.apk"\n{tools}', encoding="utf-8")
    return file


def test_what_is_made_of_an_apk_is_read_and_fits_it(file: Path, world: World) -> None:
    made = write_stub(file.with_name("counter.apk"), "counter.apk", file.name)
    assert (made.examples, made.providers) == (1, 1)
    assert '\n[tool.output]\n"total" = 1  # total (int): In all\n' in made.text
    file.write_text(made.text, encoding="utf-8")
    install_stub(world, load_stub(file))
    # The tool that a comment proposes for the provider is also valid.
    proposed = made.text.replace("\n# [[tool]]", "\n[[tool]]").split("\n[[tool]]\n# provider")
    rest = "\n[[tool]]\nprovider" + proposed[1].replace("\n# ", "\n")
    file.write_text(proposed[0] + rest, encoding="utf-8")
    stub = load_stub(file)
    install_stub(world, stub)
    tools = stub.providers["org.example.counter.tools"]
    assert [one.name for one in read_tools(tools.call("get_tool_info", None, None))] == [
        "get_weather"
    ]


def test_texts_of_an_app_stay_in_their_comments_and_quotes(tmp_path: Path) -> None:
    name = 'a"\n[[tool]]'
    descriptor = f"""<mobile-mcp-capabilities version="1.0">
      <capability id="{name.replace('"', "&quot;").replace(chr(10), "&#10;")}"
        description="One&#10;apk = 1&#8238;" version="1"><output>
        <param name="x&#10;y" type="date&#10;z" description="d&#10;e"/></output></capability>
      </mobile-mcp-capabilities>"""
    apk = tmp_path / "odd.apk"
    apk.write_bytes(tool_apk("org.example.odd", service(), descriptor=descriptor))
    file = tmp_path / "odd.stub.toml"
    file.write_text(write_stub(apk, "odd.apk", "odd.stub.toml").text, encoding="utf-8")
    stub = load_stub(file)
    assert list(stub.capabilities) == [name]
    assert stub.capabilities[name]["output"] == {"x\ny": "an example"}
    assert stub.apk == apk


def test_a_capability_without_an_example_says_so(file: Path, world: World) -> None:
    stub = load_stub(write(file, ""))
    install_stub(world, stub)
    app = world.apps["org.example.counter"]
    tree = app.xml(0x7F020000)
    assert tree is not None
    extras = CapabilityRequest("1", "count", {"amount": 1}).extras()
    answer = read_response(stub.service(read_descriptor(tree)).answer(extras))
    assert (answer.success, answer.message) == (
        False,
        f"{MARK} counter.stub.toml has none for count.",
    )


def test_json_for_programs_stays_as_it_is(file: Path, world: World) -> None:
    tools = f'{TOOL}result = """{{"level": 80}}"""\n'
    stub = load_stub(write(file, tools))
    answering = StubProvider(world, stub.providers["org.example.counter.tools"])
    answer = answering.call("execute_tool", None, execute_extras("a", {}))
    assert answer == {"success": True, "tool_result": '{"level": 80}'}


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        ("tool = 1", "tool is not a list"),
        ("apps = 1", "'apps' is none of: apk, tool"),
        (
            "[[tool]]\n",
            "tool 1: it has no capability or function, and for a provider no description",
        ),
        (f"{COUNT}result = 'x'", "tool 1: 'result' is none of: capability, message, output,"),
        (f"{COUNT}message = 1", "tool 1: message is not a text"),
        (f"{COUNT}output = 1", "tool 1: output is not a table"),
        (f"{COUNT}{COUNT}", "tool 2: count already has an example"),
        (
            f"{COUNT}message = 'a'\nfailure = 'b'",
            "tool 1: it has a failure, so it can have no message or output",
        ),
        (f"{COUNT}output.total = inf", "tool 1: it has a value that JSON cannot hold"),
        (f"{COUNT}output.total = 2026-11-19", "tool 1: it has a value that JSON cannot hold"),
        (
            f"{COUNT}message = '{'x' * LONGEST_EXAMPLE}'",
            "tool 1: it is longer than 100000 characters as JSON",
        ),
        (f"{TOOL}", "tool 1: it needs either a result or a failure"),
        (f"{TOOL}result = 'x'\nrequired = ['c']", "tool 1: it names in tool_input_required what"),
        (f"{TOOL}result = 'x'\nparameters.c = 1", "tool 1: it says of the parameter 'c' something"),
        (COUNT * 201, "it has more than 200 tools"),
        ("=", "is not TOML"),
        ("x" * LONGEST_FILE, "it is larger than 1048576 bytes"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(file: Path, tools: str, sentence: str) -> None:
    with pytest.raises(BadStub) as caught:
        load_stub(write(file, tools))
    assert f"{file}: {sentence}" in str(caught.value) or f"{file} {sentence}" in str(caught.value)


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (
            '[[tool]]\ncapability = "brew"\n',
            "org.example.counter declares no capability 'brew'",
        ),
        (f"{COUNT}output.cups = 1", "the output of count: Unknown parameter 'cups'"),
        (
            f"{COUNT}output.total = 'one'",
            "the output of count: Parameter 'total' must be of type int",
        ),
        (
            TOOL.replace("counter.tools", "tea") + "result = ''",
            "org.example.counter has no provider 'org.example.tea'",
        ),
    ],
)
def test_examples_that_the_app_does_not_declare_are_refused(
    file: Path, world: World, tools: str, sentence: str
) -> None:
    with pytest.raises(BadStub) as caught:
        install_stub(world, load_stub(write(file, tools)))
    assert str(caught.value) == f"{file.name}: {sentence}"


def test_an_apk_that_cannot_be_installed_is_reported(file: Path, world: World) -> None:
    stub = load_stub(write(file, ""))
    stub.apk.write_bytes(tool_apk(certificate=None))
    with pytest.raises(BadStub, match="is not installed: Failure \\[INSTALL_PARSE_FAILED"):
        install_stub(world, stub)
    stub.apk.unlink()
    with pytest.raises(BadStub, match="cannot be read: No such file or directory"):
        install_stub(world, stub)
    file.unlink()
    with pytest.raises(BadStub, match="cannot be read: No such file or directory"):
        load_stub(file)


LEVEL = "org.example.tank.TankFunctions#tell_level"
FUNCTIONS = f"""<appfunctions><appfunction>
<id>{LEVEL}</id><enabledByDefault>true</enabledByDefault><description>Tells the level.</description>
<parameters><dataTypeMetadata><id>unused</id><isNullable>false</isNullable><type>8</type>
</dataTypeMetadata><id>unused</id><isRequired>true</isRequired><name>tank</name>
<description>Which one</description></parameters>
<response><id>unused</id><valueType><id>unused</id><isNullable>false</isNullable>
<objectQualifiedName>org.example.tank.Level</objectQualifiedName>
<properties><dataTypeMetadata><isNullable>false</isNullable><type>8</type></dataTypeMetadata>
<name>message</name></properties>
<properties><dataTypeMetadata><isNullable>false</isNullable><type>4</type></dataTypeMetadata>
<name>percent</name></properties>
<required>message</required><type>3</type></valueType></response>
<functionId>{LEVEL}</functionId></appfunction></appfunctions>"""


def tank(folder: Path, functions: str = FUNCTIONS) -> Path:
    """An APK that only has app functions, and the stub made from it."""
    held = Node(
        "property",
        {
            "android:name": "android.app.appfunctions.v2",
            "android:value": "app_functions_v2.xml",
        },
    )
    action = Node("action", {"android:name": "android.app.appfunctions.AppFunctionService"})
    offered = Node(
        "service",
        {"android:name": ".TankFunctions", "android:exported": True},
        (Node("intent-filter", {}, (action,)), held),
    )
    files = {"assets/app_functions_v2.xml": functions.encode()}
    (folder / "tank.apk").write_bytes(tool_apk("org.example.tank", offered, more=files))
    file = folder / "tank.stub.toml"
    text = write_stub(folder / "tank.apk", "tank.apk", file.name).text
    file.write_text(text, encoding="utf-8")
    return file


def test_app_functions_are_listed_and_answered(tmp_path: Path) -> None:
    world = World(clock=ManualClock(), api=36)
    file = tank(tmp_path)
    assert "# tank (string, required): Which one" in file.read_text(encoding="utf-8")
    assert world.app_functions.listed("org.example.tank") == {}
    install_stub(world, load_stub(file))
    read = read_functions(json.dumps(world.app_functions.listed("org.example.tank")))
    [function] = read["org.example.tank"].functions
    assert (function.id, function.description) == (LEVEL, "Tells the level.")
    assert [(one.name, one.required) for one in function.parameters] == [("tank", True)]
    given = Document({"tank": ["rain"]})
    answer = world.app_functions.execute("org.example.tank", LEVEL, given)
    assert answer == Document(
        {
            "androidAppfunctionsReturnValue": [
                Document(
                    {"message": [f"{MARK} an example"], "percent": [1.5]},
                    "org.example.tank.Level",
                )
            ]
        }
    )
    with pytest.raises(FunctionFailed, match="Parameter tank is required but missing"):
        world.app_functions.execute("org.example.tank", LEVEL, Document())


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ("1", "the result is not of the type object"),
        ('{ message = "a", percent = "b" }', "percent is not of the type double"),
        ("{ percent = 1 }", "the result has no message"),
        ('{ message = "a", litres = 1 }', "the result has litres, which is not declared"),
    ],
)
def test_a_result_that_does_not_fit_its_function_is_refused(
    tmp_path: Path, result: str, sentence: str
) -> None:
    file = tank(tmp_path)
    tool = f'[[tool]]\nfunction = "{LEVEL}"\nresult = {result}\n'
    file.write_text(f'apk = "tank.apk"\n{tool}', encoding="utf-8")
    with pytest.raises(BadStub) as caught:
        install_stub(World(clock=ManualClock(), api=36), load_stub(file))
    assert str(caught.value) == f"tank.stub.toml: {LEVEL}: {sentence}"


def test_a_function_can_refuse_and_one_without_an_example_says_so(tmp_path: Path) -> None:
    for tools, message in (
        (f'[[tool]]\nfunction = "{LEVEL}"\nfailure = "It leaks."\n', "It leaks."),
        ("", f"tank.stub.toml has none for {LEVEL}."),
    ):
        file = tank(tmp_path)
        file.write_text(f'apk = "tank.apk"\n{tools}', encoding="utf-8")
        world = World(clock=ManualClock(), api=36)
        install_stub(world, load_stub(file))
        given = Document({"tank": ["rain"]})
        with pytest.raises(FunctionFailed) as caught:
            world.app_functions.execute("org.example.tank", LEVEL, given)
        assert str(caught.value) == f"{MARK} {message}"


@pytest.mark.parametrize(
    ("functions", "sentence"),
    [
        ("<a", "it is not XML"),
        ("<!DOCTYPE a><a/>", "it has a document type"),
        (FUNCTIONS.replace("<type>8</type>", "<type>x</type>"), "invalid literal"),
        (FUNCTIONS.replace("<name>tank</name>", ""), "is incomplete"),
        (f"<a><appfunction>{'<b>' * 70}c{'</b>' * 70}</appfunction></a>", "over 64 deep"),
    ],
)
def test_a_file_of_functions_that_cannot_be_read_is_reported(
    tmp_path: Path, functions: str, sentence: str
) -> None:
    with pytest.raises(BadApk, match=sentence):
        tank(tmp_path, functions)


def test_a_function_whose_types_are_elsewhere_is_left_out() -> None:
    assert read_file(FUNCTIONS.replace("<type>8</type>", "<type>11</type>", 1).encode()) == []
