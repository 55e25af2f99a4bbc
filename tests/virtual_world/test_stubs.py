"""Files of examples for the tools of installed apps."""

from pathlib import Path

import pytest

from apk.tool_packages import service, tool_apk
from handheld.app_check.stub import write_stub
from handheld.mobile_mcp import CapabilityRequest, read_descriptor, read_response
from handheld.tool_provider import execute_extras, read_tools
from handheld.virtual.packages.stub import (
    LONGEST_EXAMPLE,
    LONGEST_FILE,
    MARK,
    BadStub,
    StubProvider,
    install_stub,
    load_stub,
)
from handheld.virtual.world import World

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
    assert (made.capabilities, made.providers) == (1, 1)
    assert '\n[tool.output]\n"total" = 1  # total (int): In all\n' in made.text
    file.write_text(made.text, encoding="utf-8")
    install_stub(world, load_stub(file))
    # What a comment proposes for the provider is right, too.
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
        ("[[tool]]\n", "tool 1: it has no capability, and for a provider no description"),
        (f"{COUNT}result = 'x'", "tool 1: 'result' is none of: capability, message, output,"),
        (f"{COUNT}message = 1", "tool 1: message is not a text"),
        (f"{COUNT}output = 1", "tool 1: output is not a table"),
        (f"{COUNT}{COUNT}", "tool 2: count has an example already"),
        (
            f"{COUNT}message = 'a'\nfailure = 'b'",
            "tool 1: it has a failure, so it can have no message or output",
        ),
        (f"{COUNT}output.total = inf", "tool 1: it has a value that JSON cannot hold"),
        (f"{COUNT}output.total = 2026-11-19", "tool 1: it has a value that JSON cannot hold"),
        (
            f"{COUNT}message = '{'x' * LONGEST_EXAMPLE}'",
            "tool 1: it is over 100000 characters as JSON",
        ),
        (f"{TOOL}", "tool 1: it needs a result or a failure, one of them"),
        (f"{TOOL}result = 'x'\nrequired = ['c']", "tool 1: it names in tool_input_required what"),
        (f"{TOOL}result = 'x'\nparameters.c = 1", "tool 1: it says of the parameter 'c' something"),
        (COUNT * 201, "it has over 200 tools"),
        ("=", "is not TOML"),
        ("x" * LONGEST_FILE, "it is over 1048576 bytes"),
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
