"""The parameters of all tools, each said once."""

from typing import Annotated, Literal

from ..parameter import Param

X = Annotated[float, Param("X coordinate (>= 0)", at_least=0)]
Y = Annotated[float, Param("Y coordinate (>= 0)", at_least=0)]

IncludeScreenshot = Annotated[
    bool,
    Param(
        "Include a low-resolution screenshot. Only request when the UI element list is not"
        " sufficient."
    ),
]

By = Annotated[
    Literal["text", "content_desc", "resource_id", "class_name"],
    Param(
        "Search criteria type",
        unknown="Invalid '{name}' value: '{value}'. Must be one of: {choices}",
    ),
]
SearchValue = Annotated[str, Param("Search value", empty="must be non-empty")]
ExactMatch = Annotated[
    bool, Param("If true, match exactly. If false, match contains (case-insensitive)")
]
ElementId = Annotated[str, Param("Node ID from find_elements", empty="must be non-empty")]

LaunchedPackage = Annotated[
    str,
    Param("The package ID of the app to launch (e.g., com.example.app)", empty="must not be empty"),
]
