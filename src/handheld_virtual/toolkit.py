"""The building blocks of apps for the virtual phone.

from handheld_virtual.toolkit import Activity, App, Button, Column, Text
"""

from handheld.app_formats.apk.manifest import Filter

from .packages import deaths
from .packages.app import Activity, App
from .packages.loading import BadApp, load_app
from .packages.provider import Bundle, Provider
from .packages.receiver import Receiver
from .packages.service import FunctionService, ToolService
from .system.notifications import Notification
from .views.drawing import theme
from .views.drawing.icons import ICONS
from .views.drawing.pen import Box, Pen
from .views.drawing.theme import Color
from .views.layout import Column, Frame, Grid, HorizontalScroll, Pager, Row, Scroll
from .views.options import Action, Options, Sides
from .views.view import MATCH, WRAP, View
from .views.widgets import web
from .views.widgets.basic import (
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
from .views.widgets.choices import RadioGroup, Spinner, Tabs
from .views.widgets.date_picker import DatePicker
from .views.widgets.field import Field
from .views.widgets.live import Chronometer, Spinning, SwipeRefresh
from .views.widgets.parts import Avatar, Empty, List, ListRow, Toolbar
from .views.widgets.recycler import RecycledList
from .views.widgets.seek_bar import SeekBar
from .views.widgets.time_picker import TimePicker
from .views.widgets.web import WebView

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
    "Bundle",
    "Button",
    "CheckBox",
    "Chronometer",
    "Color",
    "Column",
    "DatePicker",
    "Divider",
    "Empty",
    "Field",
    "Filter",
    "Frame",
    "FunctionService",
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
    "Provider",
    "RadioButton",
    "RadioGroup",
    "Receiver",
    "RecycledList",
    "Row",
    "Scroll",
    "SeekBar",
    "Sides",
    "Spinner",
    "Spinning",
    "SwipeRefresh",
    "Switch",
    "Tabs",
    "Text",
    "TimePicker",
    "ToolService",
    "Toolbar",
    "View",
    "WebView",
    "deaths",
    "load_app",
    "theme",
    "web",
]
