"""What a view's class says about it. Apps derive their own classes, which often keep the ending of
the name."""

from functools import lru_cache
from typing import NamedTuple

_KINDS = (
    (("Switch", "SwitchCompat", "SwitchMaterial", "ToggleButton"), "switch"),
    (("CheckBox", "CheckedTextView"), "check"),
    (("RadioButton",), "radio"),
    (("SeekBar", "RatingBar", "Slider"), "slider"),
    (("Spinner",), "menu"),
    (("Tab", "TabView"), "tab"),
)


class Class(NamedTuple):
    name: str
    """Without the package."""
    kind: str
    """As printed; empty for none."""
    is_button: bool
    is_image: bool
    is_web: bool
    is_adapter: bool
    """Takes the clicks of its children."""
    is_dialog: bool
    """In front of everything beside it. Chromium gives this class to dialogs of web pages."""


@lru_cache(maxsize=1024)
def class_of(class_name: str | None) -> Class:
    name = (class_name or "").rpartition(".")[2]
    return Class(
        name,
        next((kind for names, kind in _KINDS if name.endswith(names)), ""),
        name.endswith(("Button", "ImageButton", "SeekBar", "Spinner")),
        name.endswith(("ImageView", "Image")),
        name.endswith("WebView"),
        name.endswith(("ListView", "GridView", "GalleryView")),
        name.endswith("Dialog"),
    )
