"""The tables of contacts, events and calls, in scenes and by `content query`."""

from pathlib import Path

import pytest

from handheld_virtual.apps.contacts.people import contact_name, known_contacts
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.scenes.scene import Scene
from handheld_virtual.scenes.staging import stage
from handheld_virtual.scenes.table import SceneError
from virtual.wire.phone_shell import run

CALLS = "content query --uri content://call_log/calls --projection type:number:name"
REFUSAL = (
    "Error while accessing provider:call_log\n"
    "java.lang.SecurityException: Permission Denial: opening provider"
    " com.android.providers.contacts.CallLogProvider from (null) (pid=2000, uid=2000) requires"
    " android.permission.READ_CALL_LOG or android.permission.WRITE_CALL_LOG\n"
)


def staged(text: str, folder: Path, api: int = 34) -> VirtualPhone:
    file = folder / "scene.toml"
    file.write_text(text, encoding="utf-8")
    phone = VirtualPhone(api=api)
    stage(phone, Scene.load(file))
    return phone


def test_people_of_a_scene_are_in_the_contacts(tmp_path: Path) -> None:
    scene = '[[contacts]]\nname = "Ágnes"\nnumber = "+36 30 111 2233"\n'
    world = staged(scene, tmp_path).world
    assert contact_name(world, "+36301112233") == "Ágnes"
    everybody = [contact.name for contact in known_contacts(world)]
    assert len(everybody) == 1001
    assert everybody.index("Ágnes") < everybody.index("Bea Adeyemi")


def test_events_of_a_scene_are_at_their_times(tmp_path: Path) -> None:
    scene = """
[[events]]
title = "Stand-up"
in_minutes = 60
minutes = 15
every_days = 1
times = 3

[[events]]
title = "Fair"
in_minutes = 1440
all_day = 2
"""
    standup, fair = staged(scene, tmp_path).world.personal.events
    begins = [begin for begin, _ in standup.instances()]
    assert [after - begins[0] for after in begins] == [0, 86_400_000, 2 * 86_400_000]
    [(begin, end)] = fair.instances()
    assert (end - begin, begin % 86_400_000, fair.all_day) == (2 * 86_400_000, 0, True)


@pytest.mark.parametrize(
    "row",
    [
        '[[contacts]]\nnumber = "1"',
        '[[events]]\ntitle = "x"\nall_day = true',
        '[[calls]]\nkind = "lost"',
        '[[calls]]\ncolour = "red"',
    ],
)
def test_other_rows_are_refused(tmp_path: Path, row: str) -> None:
    with pytest.raises(SceneError):
        staged(row, tmp_path)


@pytest.mark.parametrize("api", [26, 29, 30, 31, 36])
async def test_the_shell_reads_calls_since_android_12(tmp_path: Path, api: int) -> None:
    phone = staged('[[calls]]\nnumber = "+361"\nname = "A, b=c"\n', tmp_path, api)
    result = await run(phone, CALLS)
    if api < 31:
        assert (result.stdout, result.stderr) == ("", REFUSAL)
        assert result.code == (1 if api >= 30 else 0)
    else:
        assert result.stdout == "Row: 0 type=1, number=+361, name=A, b=c\n"


async def test_instances_are_those_of_the_span(tmp_path: Path) -> None:
    phone = staged('[[events]]\ntitle = "x"\nevery_days = 7\ntimes = 5\n', tmp_path)
    now = int(phone.world.wall.now().timestamp() // 60 * 60_000)
    query = "content query --projection event_id:begin:title --uri content://com.android.calendar"
    week = 7 * 86_400_000
    result = await run(phone, f"{query}/instances/when/{now + 1}/{now + week}")
    assert result.stdout == (
        f"Row: 0 event_id=1, begin={now}, title=x\nRow: 1 event_id=1, begin={now + week}, title=x\n"
    )
    assert "Unknown URL" in (await run(phone, f"{query}/weather")).stderr
