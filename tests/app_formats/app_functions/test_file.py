"""The file from which Android indexes app functions, as the library for apps writes it."""

from pathlib import Path

from handheld.app_formats.app_functions.file import read_file
from handheld.app_formats.app_functions.words import TypeKind

SHOP = Path(__file__).resolve().parents[3] / "app-tools" / "samples" / "tea-shop" / "src" / "main"


def test_the_sample_declares_the_types_that_its_tools_have() -> None:
    [brew] = read_file((SHOP / "assets" / "app_functions_v2.xml").read_bytes())
    kinds = {name: TypeKind(one["type"][0]) for name, one in brew.parameters.items()}
    assert kinds == {"grams": TypeKind.DOUBLE, "note": TypeKind.STRING}
    assert brew.optional == ("note",)
    assert (brew.id, brew.enabled) == ("org.example.teashop.TeaFunctions#brew_pot", True)
    returned = {one["name"][0]: one["dataTypeMetadata"][0] for one in brew.returns["properties"]}
    assert {name: TypeKind(one["type"][0]) for name, one in returned.items()} == {
        "message": TypeKind.STRING,
        "cups": TypeKind.LONG,
    }
