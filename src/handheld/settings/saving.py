"""Adding a phone to the configuration file. What a person wrote there stays as it is."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .options import folders
from .reading import SettingsError, config_file


def save_phone(phone: str, environment: Mapping[str, str] | None = None) -> tuple[Path, bool]:
    """The file, and whether the phone was added: it may be there already. Raises SettingsError."""
    environment = os.environ if environment is None else environment
    file = config_file(environment.get("HANDHELD_CONFIG"), folders(environment))
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if phone in _tables(text):
            return file, False
        gap = "\n" if text else ""
        gap += "" if text.endswith("\n") or not text else "\n"
        # A TOML key in quotes is written as JSON writes a string.
        more = f"{text}{gap}[phones.{json.dumps(phone)}]\n"
        if phone not in _tables(more):
            raise ValueError("phones is not a table for each phone")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(more, encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise SettingsError(
            f"{phone} cannot be added to {file}: {reason}. Add it by hand, in a line of its own: "
            f"[phones.{json.dumps(phone)}]"
        ) from None
    return file, True


def _tables(text: str) -> Mapping[str, Any]:
    import tomllib  # only where there is a file: every start would pay for it

    phones: Any = tomllib.loads(text).get("phones", {})
    return phones if isinstance(phones, dict) else {}  # pyright: ignore[reportUnknownVariableType]
