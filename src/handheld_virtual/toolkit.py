"""Everything an app for the virtual phone is made of, in one place.

from handheld_virtual.toolkit import Activity, App, Button, Column, Text
"""

from handheld.apk.manifest import Filter

from .packages import deaths
from .packages.app import Activity, App
from .packages.loading import BadApp, load_app
from .packages.provider import Bundle, Provider
from .packages.receiver import Receiver
from .packages.service import FunctionService, ToolService
from .system.notifications import Notification
from .views import theme, web
from .views.choices import RadioGroup, Spinner, Tabs
from .views.date_picker import DatePicker
from .views.field import Field
from .views.icons import ICONS
from .views.layout import Column, Frame, Grid, HorizontalScroll, Pager, Row, Scroll
from .views.live import Chronometer, Spinning, SwipeRefresh
from .views.options import Action, Options, Sides
from .views.parts import Avatar, Empty, List, ListRow, Toolbar
from .views.pen import Box, Pen
from .views.recycler import RecycledList
from .views.seek_bar import SeekBar
from .views.theme import Color
from .views.time_picker import TimePicker
from .views.view import MATCH, WRAP, View
from .views.web import WebView
from .views.widgets import (
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
