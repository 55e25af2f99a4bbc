"""Apps that declare app functions, for tests."""

from collections.abc import Mapping
from typing import Any, ClassVar

from app_formats.apk.writer import manifest, small_apk
from handheld.app_formats.app_functions import AppFunctions, FunctionError, FunctionFailed, Later
from handheld.app_formats.app_functions.declaring import (
    BOOLEAN,
    BYTES,
    DOUBLE,
    INT,
    LONG,
    PARCELABLE,
    STRING,
    UNIT,
    URI_TYPE,
    Declared,
    all_of,
    array_of,
    described,
    nullable,
    object_of,
    one_of,
    one_value_of,
    refer,
)
from handheld_virtual.files.entry import ROOT
from handheld_virtual.packages.app import App
from handheld_virtual.packages.installing.installed import apk_paths
from handheld_virtual.packages.service import FunctionService, Service
from handheld_virtual.world import World

PACKAGE = "org.example.ledger"
CLASS = f"{PACKAGE}.LedgerFunctions"

ITEM = object_of(f"{PACKAGE}.Item", {"name": STRING, "price": DOUBLE}, ["name"])
BOOK = object_of(f"{PACKAGE}.Book", {"title": STRING, "within": refer("Book")}, ["title"])
CASH = object_of(f"{PACKAGE}.Cash", {"amount": INT})
CARD = object_of(f"{PACKAGE}.Card", {"number": STRING})

VALUES: Mapping[str, tuple[Declared, Any]] = {
    "text": (STRING, "a/b \u2028 \"quoted\" 'x' $HOME `id` \\ ü"),
    "truth": (BOOLEAN, True),
    "whole": (INT, -5),
    "long": (LONG, (1 << 53) + 1),
    "double": (DOUBLE, 5.0),
    "huge": (DOUBLE, 1e300),
    "choice": (one_value_of(INT, 1, 2), 2),
    "word": (one_value_of(STRING, "red", "blue"), "blue"),
    "doubles": (array_of(DOUBLE), [5.0, 1.5]),
    "texts": (array_of(STRING), ["a", "b"]),
    "item": (refer("Item"), {"name": "tea", "price": 2.5}),
    "items": (array_of(refer("Item")), [{"name": "tea"}, {"name": "milk", "price": 1.5}]),
    "book": (refer("Book"), {"title": "a", "within": {"title": "b"}}),
    "both": (
        all_of(f"{PACKAGE}.Both", refer("Item"), object_of("", {"size": INT})),
        {"name": "tea", "size": 3},
    ),
    "uri": (URI_TYPE, "content://a/b?c=d"),
}
"""Parameters of `keep`, which gives back what it got, each with a value."""


class LedgerFunctions(FunctionService):
    name = ".LedgerFunctions"

    def offer(self) -> AppFunctions:
        functions = AppFunctions(CLASS)
        app = self.app
        assert isinstance(app, Ledger)
        for name, type in {"Item": ITEM, "Book": BOOK, "Cash": CASH, "Card": CARD}.items():
            functions.declare(name, type)
        kept = {name: type for name, (type, _) in VALUES.items()}

        @functions.function(
            "keep",
            "Keeps values.",
            {**kept, "raw": BYTES},
            optional=[*kept, "raw"],
            returns=object_of(f"{PACKAGE}.Kept", kept, []),
        )
        def _(arguments: Mapping[str, Any]) -> Any:
            app.got.append(dict(arguments))
            return arguments

        @functions.function(
            "addEntry",
            "Adds an entry.",
            {"title": described(STRING, "What it is"), "amount": DOUBLE, "note": nullable(STRING)},
            optional=["note"],
            returns=described(INT, "the entry's number"),
        )
        def _(arguments: Mapping[str, Any]) -> int:
            if arguments["amount"] < 0:
                raise FunctionFailed("amount is negative", FunctionError.BAD_ARGUMENT)
            app.got.append(dict(arguments))
            return len(app.got)

        @functions.function(
            "pay", "Pays.", {"by": one_of(f"{PACKAGE}.Means", refer("Cash"), refer("Card"))}
        )
        def _(arguments: Mapping[str, Any]) -> None:
            app.got.append(dict(arguments))

        @functions.function("titles", "Lists titles.", returns=array_of(STRING))
        def _(arguments: Mapping[str, Any]) -> list[str]:
            return [str(one.get("title")) for one in app.got]

        @functions.function("fail", "Fails.", returns=STRING)
        def _(arguments: Mapping[str, Any]) -> str:
            if app.failure is not None:
                raise app.failure
            raise RuntimeError("The ledger is\nfull. (code 1002)")

        @functions.function("wait", "Takes its time.", {"ms": INT}, returns=UNIT)
        def _(arguments: Mapping[str, Any]) -> Later:
            app.got.append(dict(arguments))
            return Later(arguments["ms"])

        @functions.function("hidden", "Is off at first.", enabled=False)
        def _(arguments: Mapping[str, Any]) -> None:
            app.got.append(dict(arguments))

        @functions.function("old", "Is known by its id.", returns=None)
        def _(arguments: Mapping[str, Any]) -> None: ...

        @functions.function("raw", "Takes bytes.", {"data": BYTES})
        def _(arguments: Mapping[str, Any]) -> None: ...

        @functions.function("handle", "Takes a handle.", {"of": array_of(PARCELABLE)})
        def _(arguments: Mapping[str, Any]) -> None: ...

        @functions.function("shown", "Belongs to a screen.", scope="activity")
        def _(arguments: Mapping[str, Any]) -> None: ...

        return functions


class Ledger(App):
    package, label = PACKAGE, "Ledger"
    services: ClassVar[tuple[type[Service], ...]] = (LedgerFunctions,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.got: list[dict[str, Any]] = []
        self.failure: FunctionFailed | None = None
        """Of `fail`, in place of its own."""


def install(world: World, kind: type[App] = Ledger) -> App:
    """With a file that can be read without the helper, signed by whom the helper would name."""
    app = world.install(kind)
    (path,) = apk_paths(world, app)
    root = manifest(app.package, application={"android:label": app.label})
    apk = small_apk(root, certificate=f"signer of {app.package}".encode())
    world.files.write(path, apk, 0o644, user=ROOT)
    return app
