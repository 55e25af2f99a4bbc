"""TOML: scenes, the configuration file and the storage locations, as a person may write them."""

from pathlib import Path
from typing import Any

from handheld.phone.files.storage import StorageError, StorageFile
from handheld.settings.folders import Folders
from handheld.settings.reading import SettingsError, load_text
from handheld.settings.toml_text import change
from handheld_virtual.scenes.scene import SCENES, Scene
from handheld_virtual.scenes.table import SceneError
from settings.test_toml_text import TEXT

from .json_targets import through_file
from .trial import Target

NOWHERE = Path("/nowhere")
TOKENS = (
    *(b"[", b"]", b"[[", b"]]", b"{", b"}", b"=", b" = ", b".", b"'''", b'"""', b"#", b"\n", b","),
    *(b"1979-05-27T07:32:00Z", b"9999-12-31", b"inf", b"nan", b"0x", b"1e5", b"true", b"a.b.c"),
    *(b"[phones.x]\n", b"[policy]\n", b"[[files]]\n", b"path = ", b"a = 1\n", b"[a.b]\n"),
)
SETTINGS = f"""{TEXT}
[policy]
ask = ["delete_file", "app:org.example.bank"]
deny = ["toolset:sms"]

[audit]
most_days = 30
"""

LOCATIONS = b"""\
[[location]]
id = "com.android.externalstorage.documents/primary:Download"
name = "Downloads"
allow_write = true

[[location]]
id = "com.android.externalstorage.documents/1A2B-3C4D:Music"
phone = "R58M"
"""

EDITS: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("port",), 1),
    (("sms", "allow"), ["+36*"]),
    (("phones", "R58M"), None),
)


def read_settings(data: bytes) -> None:
    text = data.decode(errors="replace")
    load_text(text, NOWHERE / "handheld.toml", Folders(NOWHERE, NOWHERE), {})


def edit(data: bytes) -> None:
    text = data.decode(errors="replace")
    path, value = EDITS[len(text) % len(EDITS)]
    change(text, path, value)


TARGETS = (
    Target(
        "scene",
        through_file("scene.toml", Scene.load),
        lambda: [file.read_bytes() for file in sorted(SCENES.glob("*.toml"))],
        (SceneError,),
        TOKENS,
        share=4,
    ),
    Target("settings", read_settings, lambda: [SETTINGS.encode()], (SettingsError,), TOKENS, 3),
    Target(
        "storage",
        through_file("storage.toml", lambda file: StorageFile(file).all()),
        lambda: [LOCATIONS],
        (StorageError,),
        (*TOKENS, b"[[location]]\n", b"id = ", b"name = "),
        share=2,
    ),
    Target("settings-edit", edit, lambda: [SETTINGS.encode()], (ValueError,), TOKENS, 2),
)
