"""The parameters of links and intents."""

from typing import Annotated, Any, Literal

from ..parameter import Param
from ..recording import Secret

Uri = Annotated[
    str,
    Param(
        "What to open: https://…, geo:…, tel:…, mailto:…, an app's own scheme, an intent: URI, or"
        " settings:wifi for a page of the settings",
        empty="must not be empty",
        secret=Secret.URL,
    ),
]
OpeningPackage = Annotated[
    str | None, Param("Package of the app that is to open it", secret=Secret.NO)
]
MimeType = Annotated[str | None, Param("MIME type of the data", secret=Secret.NO)]
IntentType = Annotated[
    Literal["activity", "broadcast", "service"],
    Param(
        "Kind of component",
        unknown="{name} must be 'activity', 'broadcast', or 'service'. Got: '{value}'",
    ),
]
IntentAction = Annotated[
    str | None, Param("Action, such as android.intent.action.VIEW", secret=Secret.NO)
]
IntentData = Annotated[str | None, Param("Data URI", secret=Secret.URL)]
IntentPackage = Annotated[
    str | None, Param("Package of the app that is to take it", secret=Secret.NO)
]
IntentComponent = Annotated[
    str | None, Param("Component that is to take it: package/class", secret=Secret.NO)
]
Categories = Annotated[list[str] | None, Param("Categories", secret=Secret.NO)]
Extras = Annotated[
    dict[str, Any] | None,
    Param("Extras by name: strings, booleans, numbers, lists of strings", secret=Secret.ALWAYS),
]
ExtrasTypes = Annotated[
    dict[str, Any] | None,
    Param(
        "Types of extras by name, if not to be guessed: string, int, long, float, double, boolean",
        secret=Secret.NO,
    ),
]
IntentFlags = Annotated[
    list[str] | None, Param("Names of flags, such as FLAG_ACTIVITY_CLEAR_TOP", secret=Secret.NO)
]
