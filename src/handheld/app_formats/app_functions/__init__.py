"""App functions of Android 16: apps declare functions, and Android lists and calls them.

Both sides are here: the caller's (`metadata` reads declarations, `schema` describes them,
`arguments` and `result` encode and decode a call) and, in `declaring` and `service`, the app's.
Nothing here touches Android.
"""

from .arguments import BadArgument, encode, encode_arguments
from .metadata import (
    BadFunctions,
    DataType,
    DeclaredFunctions,
    Function,
    FunctionParameter,
    read_functions,
)
from .result import is_void, read_result
from .schema import SchemaWriter
from .service import AppFunctions, Document, FunctionFailed, Later
from .types import Impossible, Types
from .words import FunctionError, TypeKind

__all__ = [
    "AppFunctions",
    "BadArgument",
    "BadFunctions",
    "DataType",
    "DeclaredFunctions",
    "Document",
    "Function",
    "FunctionError",
    "FunctionFailed",
    "FunctionParameter",
    "Impossible",
    "Later",
    "SchemaWriter",
    "TypeKind",
    "Types",
    "encode",
    "encode_arguments",
    "is_void",
    "read_functions",
    "read_result",
]
