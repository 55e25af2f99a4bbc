"""The API of the page for kept steps."""

from typing import Any

from handheld.tools.steps import (
    Front,
    SavedStep,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsFile,
)

from .rig import Person, Rig
from .test_pages import post

WAY = StepSequence(
    (
        SavedStep("open", {"what": "{app}"}),
        SavedStep(
            "tap", {}, {"at": SavedTarget("Timer", "", "tab")}, Front("com.android.deskclock")
        ),
    ),
    (StepParameter("app", example="Clock"),),
)
OTHER = StepSequence((SavedStep("open", {"what": "Bank"}),))


def kept_file(rig: Rig) -> StepsFile:
    return StepsFile(rig.settings.folders.steps)


async def shown(person: Person) -> dict[str, Any]:
    [steps] = (await person.api("steps"))["steps"]
    return steps


async def test_kept_steps_are_listed_edited_and_removed(rig: Rig, person: Person) -> None:
    file = kept_file(rig)
    file.keep("timer", "", WAY, "guest", "kept by codex")
    steps = await shown(person)
    assert (steps["usage"], steps["by"], steps["owned"]) == ("my_timer(app)", "guest", False)
    assert steps["origin"] == "kept by codex"
    assert steps["steps"] == [
        "open what='{app}'",
        'tap at "Timer" (tab)  in com.android.deskclock',
    ]
    text = steps["text"].replace('"Timer"', '"Alarm"')
    edit = {"phone": "", "seen": steps["text"], "text": text}
    assert await post(person, "steps/timer/edit", edit) == (200, {})
    assert file.get("timer").owned
    assert file.get("timer").sequence.steps[1].targets["at"].words == "Alarm"
    assert await post(person, "steps/timer/edit", edit) == (
        409,
        "timer was changed meanwhile: read it again.",
    )
    broken = {"phone": "", "seen": (await shown(person))["text"], "text": "{"}
    assert await post(person, "steps/timer/edit", broken) == (409, "The text is not JSON.")
    assert await post(person, "steps/timer/remove", {"phone": ""}) == (200, {})
    assert (await person.api("steps"))["steps"] == []
    status, message = await post(person, "steps/timer/remove", {"phone": ""})
    assert (status, message) == (409, "No steps are kept as 'timer'. There are: none.")


async def test_only_the_proposal_that_was_shown_is_accepted(rig: Rig, person: Person) -> None:
    file = kept_file(rig)
    file.keep("timer", "", WAY, "", "")
    file.keep("timer", "", OTHER, "guest", "")
    steps = await shown(person)
    assert (steps["proposal"], steps["proposed_by"]) == (["open what='Bank'"], "guest")
    file.keep("timer", "", StepSequence((SavedStep("open", {"what": "Shop"}),)), "guest", "")
    accept = {"phone": "", "seen": steps["seen"]}
    status, message = await post(person, "steps/timer/accept", accept)
    assert (status, message) == (409, "timer was changed meanwhile: read it again.")
    seen = (await shown(person))["seen"]
    assert await post(person, "steps/timer/accept", {"phone": "", "seen": seen}) == (200, {})
    assert file.get("timer").sequence.steps[0].arguments == {"what": "Shop"}
    assert file.get("timer").proposal is None
    file.remove(file.get("timer"))


async def test_kept_steps_are_downloaded_as_a_file_or_a_test(rig: Rig, person: Person) -> None:
    file = kept_file(rig)
    file.keep("timer", "", WAY, "", "kept by codex")
    shared = await person.get("/console/api/steps/timer/export?as=json")
    assert shared.headers["content-disposition"] == 'attachment; filename="timer.json"'
    assert shared.json()["origin"] == "kept by codex"
    script = (await person.get("/console/api/steps/timer/export?as=pytest")).text
    assert "def test_timer(virtual_phone):" in script
    file.remove(file.get("timer"))


async def test_a_damaged_file_is_one_line(rig: Rig, person: Person) -> None:
    file = kept_file(rig).file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[]", encoding="utf-8")
    page = await person.api("steps")
    assert page["steps"] == []
    assert page["problem"].endswith("Repair or delete it.")
    file.unlink()


async def test_kept_steps_need_a_person(rig: Rig, person: Person) -> None:
    stranger = await person.http.get("/console/api/steps")
    assert stranger.status_code == 401
