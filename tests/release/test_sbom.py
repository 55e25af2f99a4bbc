"""The bill of materials, from the lock file that containers install."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripts.sbom import make_sbom, read_lock

from harness.packages import IMPORT_PACKAGES

LOCK = (Path(__file__).parent.parent.parent / "requirements.lock").read_text("utf-8")
ENTRY = f"""\
cffi==2.1.1 ; platform_python_implementation != 'PyPy' \\
    --hash=sha256:{"a" * 64} \\
    --hash=sha256:{"b" * 64}
    # via cryptography, -c requirements-dev.lock, handheld (pyproject.toml)
"""


def sbom() -> dict[str, Any]:
    return json.loads(make_sbom("1.2.3", LOCK, "c" * 64, 1_700_000_000))


def test_an_entry_of_the_lock_file_is_read_with_its_users() -> None:
    (entry,) = read_lock(ENTRY)
    assert entry.purl == "pkg:pypi/cffi@2.1.1"
    assert entry.marker == "platform_python_implementation != 'PyPy'"
    assert entry.hashes == ["a" * 64, "b" * 64]
    assert entry.users == ["cryptography", "handheld"]


def test_an_entry_in_another_form_is_an_error() -> None:
    with pytest.raises(ValueError, match="not known"):
        read_lock(ENTRY + "other @ https://example.com/other.whl\n")


def test_every_package_is_required_by_another_that_is_listed() -> None:
    document = sbom()
    listed = {component["purl"] for component in document["components"]}
    required = {ref for entry in document["dependencies"] for ref in entry["dependsOn"]}
    assert listed == required
    assert {entry["ref"] for entry in document["dependencies"]} == {
        *listed,
        "pkg:pypi/handheld@1.2.3",
    }


def test_the_bill_names_the_packages_of_the_wheel() -> None:
    properties = sbom()["metadata"]["component"]["properties"]
    assert {each["value"] for each in properties} == IMPORT_PACKAGES


def test_the_same_release_has_the_same_bill() -> None:
    assert sbom() == sbom()
    assert sbom()["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
