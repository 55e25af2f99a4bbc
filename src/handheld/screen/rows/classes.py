"""Properties of views by class. Apps derive their own classes, which often keep the ending of the
name."""

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
    """The class without the package."""
    kind: str
    """The printed word; "" for none."""
    is_button: bool
    is_image: bool
    is_web: bool
    is_adapter: bool
    """Whether it takes the clicks of its children."""
    is_dialog: bool
    """Whether it is in front of its siblings. Chromium gives this class to dialogs of web pages."""


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
