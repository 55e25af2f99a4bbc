"""The names and numbers of app functions in Android and in its library for apps."""

from enum import IntEnum

ACTION = "android.app.appfunctions.AppFunctionService"
"""The action in the intent filter of an app's service."""
PERMISSION = "android.permission.BIND_APP_FUNCTION_SERVICE"
"""The permission that the service requires: only the system can bind to it."""
FILES = ("android.app.appfunctions.v2", "android.app.appfunctions")
"""Properties of the service, or of the app, that name the file with its functions. The second,
older file contains only ids."""

STATIC = "AppFunctionStaticMetadata"
RUNTIME = "AppFunctionRuntimeMetadata"
COMPONENTS = "AppFunctionComponentMetadataDocument"
"""Types of documents. A hyphen and the package may follow."""

RETURN_VALUE = "androidAppfunctionsReturnValue"
"""The property of a result with the returned value; missing if a function returns nothing."""
URI = "android.net.Uri"
"""An object with one property, the URI as text."""
SCHEMA_TYPE = "schemaType"
"""In an argument: the name of the chosen type."""

GLOBAL, ACTIVITY = "global", "activity"
"""Scopes: a function of an activity can be called only while that is open, and not over adb."""
SELF = "self"
"""The access level of a function that only its own app may call."""


class TypeKind(IntEnum):
    UNIT = 0
    BOOLEAN = 1
    BYTES = 2
    OBJECT = 3
    DOUBLE = 4
    FLOAT = 5
    LONG = 6
    INT = 7
    STRING = 8
    ARRAY = 10
    REFERENCE = 11
    ALL_OF = 12
    PARCELABLE = 13
    ONE_OF = 14


class Enabled(IntEnum):
    """The state that the app's owner, or the app itself, has set at run time."""

    DEFAULT = 0
    ON = 1
    OFF = 2


class FunctionError(IntEnum):
    DENIED = 1000
    BAD_ARGUMENT = 1001
    DISABLED = 1002
    NOT_FOUND = 1003
    SYSTEM = 2000
    CANCELLED = 2001
    POLICY = 2002
    APP = 3000
