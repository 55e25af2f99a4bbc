"""Test vectors of ids, fingerprints and similarities, computed by others."""

import json
from typing import Any

from handheld.screen.fingerprint import similarity
from handheld.screen.ids import java_hash
from screen.test_fingerprint import single, slots

from .files import text


def vectors(kind: str) -> list[dict[str, Any]]:
    found = json.loads(text("vectors/element-ids.json"))[kind]
    assert found
    return found


def test_ids_match_the_vectors() -> None:
    for each in vectors("node_ids"):
        assert f"node_{java_hash(each['hash_input']):x}" == each["id"]


def test_fingerprints_match_the_vectors() -> None:
    for each in vectors("fingerprint_buckets"):
        slot = single(each["class"], each["text"], each["bounds"], each["child_count"])
        assert slot == each["bucket"]


def test_similarities_match_the_vectors() -> None:
    for each in vectors("similarity"):
        assert similarity(slots(each["a"]), slots(each["b"])) == each["similarity"]
