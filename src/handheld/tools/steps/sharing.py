"""Kept steps outside of our file: as a file for others, as one to edit, and as a test."""

import json
import pprint
from dataclasses import replace
from typing import Any

from .model import SavedSteps, StepsError
from .parameters import read_name
from .reading import read_steps
from .steps_file import load_json

_FORMAT = "handheld_steps"
_EDITED = ("name", "phone", "parameters", "steps")

_SCRIPT = '''"""{usage}, {count}, {origin}, done again.

Run it with pytest where Handheld is installed. The virtual phone begins as its scene says: add a
marker such as @pytest.mark.scene("office") where the phone began otherwise.
"""
{imports}
from handheld.replay import Replay

STEPS = {steps}


def test_{name}(virtual_phone):
    with Replay(virtual_phone.address) as phone:
        phone.run(STEPS{values})
'''


def write_shared(kept: SavedSteps) -> str:
    """A file for others, with where the steps come from."""
    value = {_FORMAT: 1, "name": kept.name, "origin": kept.origin, "made": kept.made}
    return json.dumps({**value, **kept.sequence.as_json()}, indent=1, ensure_ascii=False) + "\n"


def read_shared(data: bytes, file: str, phone: str) -> SavedSteps:
    """`file` is the name of the file. Raises StepsError."""
    value = load_json(data, file)
    if not isinstance(value, dict) or value.get(_FORMAT) != 1:
        raise StepsError(f"{file} has no kept steps: `handheld steps export` writes such files.")
    try:
        kept = read_steps({**value, "by": "", "phone": phone, "proposal": None})
    except StepsError as problem:
        raise StepsError(f"{file} cannot be used: {problem}.") from None
    origin = f"imported from {file}" + (f", {kept.origin} there" if kept.origin else "")
    return replace(kept, origin=origin[:500])


def write_edited(kept: SavedSteps) -> str:
    """What the owner edits."""
    value = kept.as_json()
    return json.dumps({name: value[name] for name in _EDITED}, indent=1, ensure_ascii=False) + "\n"


def read_edited(text: str, old: SavedSteps) -> SavedSteps:
    """Raises StepsError."""
    value = load_json(text.encode("utf-8", "replace"), "The text")
    if not isinstance(value, dict):
        raise StepsError("Kept steps are a JSON object.")
    given: dict[str, Any] = {name: value[name] for name in _EDITED if name in value}  # type: ignore[index]
    try:
        read_name(str(given.get("name", "")))
        new = read_steps({"phone": old.phone, **given})
    except StepsError as problem:
        raise StepsError(f"It cannot be used: {problem}.") from None
    return replace(
        old,
        name=new.name,
        phone=new.phone,
        sequence=new.sequence,
        proposal=old.proposal,
        owned=True,
    )


def write_script(kept: SavedSteps) -> str:
    """A test that does the steps on a virtual phone. Secrets come from the environment."""
    values = "".join(
        f", {each.name}="
        + (f'os.environ["{each.name.upper()}"]' if each.secret else repr(_example(each)))
        for each in kept.sequence.parameters
    )
    steps = pprint.pformat(
        [step.as_json() for step in kept.sequence.steps], width=96, sort_dicts=False, indent=1
    )
    return _SCRIPT.format(
        usage=f"my_{kept.usage}",
        count=f"{len(kept.sequence.steps)} steps",
        origin=_plain(kept.origin) or "kept",
        imports="\nimport os\n" if any(each.secret for each in kept.sequence.parameters) else "",
        steps=steps,
        name=kept.name,
        values=values,
    )


def _example(parameter: Any) -> str:
    return parameter.example or (parameter.choices or ("",))[0]


def _plain(text: str) -> str:
    """For a comment."""
    return "".join(each if each.isprintable() and each not in '"\\' else " " for each in text)
