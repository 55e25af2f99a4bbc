"""Everything an app for the virtual phone is made of, in one place.

from handheld.virtual.toolkit import Activity, App, Button, Column, Text
"""

from . import theme
from .app import Activity, App
from .field import Field
from .icons import ICONS
from .layout import Column, Frame, Grid, HorizontalScroll, Pager, Row, Scroll
from .loading import BadApp, load_app
from .notifications import Notification
from .parts import Avatar, Empty, List, ListRow, Toolbar
from .recycler import RecycledList
from .seek_bar import SeekBar
from .theme import Color
from .views import MATCH, WRAP, Action, Box, Options, Pen, Sides, View
from .widgets import (
    Button,
    CheckBox,
    Divider,
    IconButton,
    Image,
    ProgressBar,
    RadioButton,
    Switch,
    Text,
)

__all__ = [
    "ICONS",
    "MATCH",
    "WRAP",
    "Action",
    "Activity",
    "App",
    "Avatar",
    "BadApp",
    "Box",
    "Button",
    "CheckBox",
    "Color",
    "Column",
    "Divider",
    "Empty",
    "Field",
    "Frame",
    "Grid",
    "HorizontalScroll",
    "IconButton",
    "Image",
    "List",
    "ListRow",
    "Notification",
    "Options",
    "Pager",
    "Pen",
    "ProgressBar",
    "RadioButton",
    "RecycledList",
    "Row",
    "Scroll",
    "SeekBar",
    "Sides",
    "Switch",
    "Text",
    "Toolbar",
    "View",
    "load_app",
    "theme",
]
