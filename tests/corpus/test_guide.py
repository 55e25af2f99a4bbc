"""The Kotlin sample is the integration guide's provider, word for word."""

from pathlib import Path

from .place import folder

SAMPLE = (
    Path(__file__)
    .resolve()
    .parents[2]
    .joinpath(
        "app-tools/samples/weather/src/main/kotlin/com/yourcompany/yourapp/McpToolProvider.kt"
    )
)
ADDED = ("package ", "import ")


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_the_sample_is_the_guides_provider() -> None:
    [guide] = (folder() / "spec").glob("001_*.txt")
    blocks = guide.read_text("utf-8").split("```kotlin\n")[1:3]
    provider, example = (lines(block.partition("```")[0]) for block in blocks)
    sample = [line for line in lines(SAMPLE.read_text("utf-8")) if not line.startswith(ADDED)]
    between = example.index("// In executeToolRequest()")
    info, execute = example[2 : between - 1], example[between + 1 :]
    # The guide's class has its own words in two places, where one's own are to stand.
    start = provider.index("putBoolean(KEY_SUCCESS, true)")
    end = provider.index('putStringArray(KEY_TOOL_INPUT_REQUIRED, arrayOf("param1"))')
    then = provider.index("// Execute your tool's logic here")
    last = provider.index("putString(KEY_TOOL_RESULT, result)") + 1
    assert sample == [
        *provider[:start],
        *info,
        *provider[end + 1 : then],
        *execute,
        *provider[last + 1 :],
    ]
