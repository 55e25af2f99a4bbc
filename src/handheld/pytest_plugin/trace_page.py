"""A trace as one HTML file, which loads nothing and runs no script."""

import base64
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..audit.sizes import image_size
from ..library.masks import Shown
from ..library.tracing import Trace, TracedCall

MOST_TEXT = 6000
"""Characters of one reply."""
MOST_LOG = 60_000
"""Characters of the failure, and of each section."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The browser's limits, in case a text of an app ever becomes more than text."""
_STYLE = Path(__file__).with_name("trace.css")


class Section(NamedTuple):
    title: str
    text: str


def write_page(
    test: str,
    outcome: str,
    about: str,
    failure: str,
    trace: Trace,
    sections: Sequence[Section],
) -> str:
    """`about` is the phone; `sections` come after the calls."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(test)}</title>",
            f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>",
            f"<header>\n<h1>{escape(test)}</h1>",
            f'<p><b class="{escape(outcome)}">{escape(outcome)}</b> {escape(about)}</p>\n</header>',
            *([f'<pre class="failure">{_text(failure, MOST_LOG)}</pre>'] if failure else []),
            "<h2>Calls</h2>",
            *_calls(trace),
            *(_section(each) for each in sections),
            *_pictures(trace),
            "</body>\n</html>\n",
        ]
    )


def _calls(trace: Trace) -> Iterator[str]:
    if trace.dropped:
        yield f"<p>The first {trace.dropped} calls are not kept.</p>"
    if not trace.calls:
        yield "<p>None.</p>"
    for call in trace.calls:
        yield from _call(call, trace)


def _call(call: TracedCall, trace: Trace) -> Iterator[str]:
    shown = call.shown or Shown(call.tool, {}, ("It had not ended.",))
    yield f'<article class="{"failed" if call.failed else "done"}">'
    yield (
        f"<h3><span>{call.number}</span> <code>{_code(shown)}</code>"
        f" <small>at {call.began:.1f} s, {call.seconds * 1000:.0f} ms</small></h3>"
    )
    yield '<div class="reply">'
    for step in call.steps:
        yield f"<details><summary><code>{_code(step)}</code></summary>{_reply(step)}</details>"
    yield f"{_reply(shown)}</div>"
    sides = [("before", call.before), ("after", call.after)]
    for when, key in [("unchanged", call.after)] if call.before == call.after else sides:
        if key in trace.pictures:
            image = _use(key, trace.pictures[key])
            link = f'<a href="#{key}">{image}</a>'
            yield f'<figure class="{when}">{link}<figcaption>{when}</figcaption></figure>'
    yield "</article>"


def _section(section: Section) -> str:
    return f"<h2>{escape(section.title)}</h2>\n<pre>{_text(section.text, MOST_LOG)}</pre>"


def _code(call: Shown) -> str:
    """The call in Python syntax."""
    given = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return _text(f"{call.tool.removeprefix('phone_')}({given})")


def _reply(call: Shown) -> str:
    text = "\n".join(call.reply)
    return f"<pre>{_text(text)}</pre>" if text else ""


def _text(text: str, most: int = MOST_TEXT) -> str:
    rest = len(text) - most
    return escape(text if rest <= 0 else f"{text[:most]}… ({rest} more characters)")


def _pictures(trace: Trace) -> Iterator[str]:
    """Each picture once, to be referenced wherever it is shown, and once more as the enlarged
    overlay that its link opens."""
    yield '<svg width="0" height="0">'
    for key, jpeg in trace.pictures.items():
        width, height = _size(jpeg)
        data = base64.b64encode(jpeg).decode("ascii")
        yield (
            f'<image id="i{key}" width="{width}" height="{height}"'
            f' href="data:image/jpeg;base64,{data}"/>'
        )
    yield "</svg>"
    for key, jpeg in trace.pictures.items():
        yield f'<a class="enlarged" id="{key}" href="#_">{_use(key, jpeg)}</a>'


def _use(key: str, jpeg: bytes) -> str:
    width, height = _size(jpeg)
    return f'<svg viewBox="0 0 {width} {height}"><use href="#i{key}"/></svg>'


def _size(jpeg: bytes) -> tuple[int, int]:
    return image_size(jpeg) or (1, 1)
