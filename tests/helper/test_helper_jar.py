"""`make check` compares the packaged jar with what was recorded when it was built."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "helper_jar.py"


@pytest.fixture
def script(tmp_path: Path) -> ModuleType:
    """The script in a small project of its own, whose jar is up to date."""
    (tmp_path / "scripts").mkdir()
    copy = tmp_path / "scripts" / SCRIPT.name
    copy.write_bytes(SCRIPT.read_bytes())
    source = tmp_path / "helper" / "src" / "main" / "java" / "Helper.java"
    source.parent.mkdir(parents=True)
    source.write_text("class Helper {}\n", encoding="utf-8")
    (tmp_path / "helper" / "pom.xml").write_text("<project/>\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("helper_jar_copy", copy)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.JAR.parent.mkdir(parents=True)
    module.record(module.sources_digest(), bytes(range(256)))
    return module


def test_a_jar_as_it_was_built_passes(script: ModuleType) -> None:
    script.check()


@pytest.mark.parametrize("bit", [0, 8 * 255 + 7])
def test_one_flipped_bit_in_the_jar_is_refused_with_what_to_do(
    script: ModuleType, bit: int
) -> None:
    data = bytearray(script.JAR.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    script.JAR.write_bytes(data)
    with pytest.raises(SystemExit) as refused:
        script.check()
    assert str(refused.value) == (
        "src/handheld/helper/handheld-helper.jar is missing or is not the file that was built: its"
        " digest is not the recorded one. Restore it (git checkout --"
        " src/handheld/helper/handheld-helper.jar), or build it again: make helper"
    )


def test_a_missing_jar_is_refused(script: ModuleType) -> None:
    script.JAR.unlink()
    with pytest.raises(SystemExit, match="is missing or is not the file that was built"):
        script.check()


def test_a_changed_source_is_refused(script: ModuleType) -> None:
    source = script.HELPER / "src" / "main" / "java" / "Helper.java"
    source.write_text("class Helper { }\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"not built from these sources\. Build it: make helper"):
        script.check()


def test_the_packaged_jar_is_within_the_one_limit_of_its_size(script: ModuleType) -> None:
    packaged = SCRIPT.parent.parent / "src" / "handheld" / "helper" / script.JAR.name
    assert 0.8 * script.LIMIT < packaged.stat().st_size <= script.LIMIT


def test_the_helper_lets_the_media_server_read_no_file_of_the_shell() -> None:
    """Android's policy lets it write such files, and read none: a recorder and a player of that
    server get neither a path nor a descriptor from us."""
    spec = importlib.util.spec_from_file_location("dex", SCRIPT.with_name("dex.py"))
    assert spec is not None
    assert spec.loader is not None
    dex = importlib.util.module_from_spec(spec)
    sys.modules["dex"] = dex
    spec.loader.exec_module(dex)
    jar = SCRIPT.parent.parent / "src" / "handheld" / "helper" / "handheld-helper.jar"
    named = dex.read_jar(jar).named
    media = {(owner.rpartition("/")[2], member) for owner, member in named if "media/" in owner}
    served = ("MediaRecorder", "MediaPlayer", "MediaExtractor")
    assert {owner for owner, _ in media if owner in served} == set()
    sources = {member for _, member in media if member.startswith("setDataSource(")}
    assert sources == {"setDataSource(Landroid/media/MediaDataSource;)V"}
    assert ("MediaMuxer", "<init>(Ljava/lang/String;I)V") in media
