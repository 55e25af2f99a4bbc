from collections.abc import Mapping
from pathlib import Path

import pytest

from handheld.app_tools.discovered import UNKNOWN, DiscoveredApp, DiscoveredTool
from handheld.app_tools.trust import Standing, Trust, TrustError
from handheld.driver.app_tools import DeclaringApp

PACKAGE = "com.example.notes"


def discover(
    *ids: str,
    signer: str = "aa",
    parts: Mapping[str, str] | None = None,
    package: str = PACKAGE,
) -> DiscoveredApp:
    async def perform(*_: object) -> list[str]:
        return []

    tools = tuple(DiscoveredTool("service", id, "", (), perform) for id in ids)
    return DiscoveredApp(
        DeclaringApp(package, "Notes", 1, signer),
        tools,
        {".Service": "1"} if parts is None else parts,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "apps.json"


def standing(trust: Trust, *apps: DiscoveredApp, phone: str = "virtual") -> list[Standing]:
    return [record.standing for record in trust.judge(phone, apps).values()]


def test_an_app_of_the_first_look_is_found_and_stays_so(file: Path) -> None:
    assert standing(Trust(file, first_use=True), discover("add")) == [Standing.FOUND]
    assert standing(Trust(file, first_use=True), discover("add")) == [Standing.FOUND]


@pytest.mark.parametrize("first", [[], [discover("find", package="org.b")]])
def test_an_app_that_was_not_there_at_the_first_look_came_later(
    file: Path, first: list[DiscoveredApp]
) -> None:
    Trust(file, first_use=True).judge("R58M", first)
    trust = Trust(file, first_use=True)
    assert standing(trust, *first, discover("add"), phone="R58M")[-1] is Standing.LATER
    assert standing(trust, discover("add"), phone="R58M") == [Standing.LATER]
    # Another phone has a first look of its own.
    assert standing(trust, discover("add"), phone="R59N") == [Standing.FOUND]
    assert trust.approve(PACKAGE, "R58M")[0].standing is Standing.APPROVED
    assert standing(trust, discover("add"), phone="R58M") == [Standing.APPROVED]


def test_an_app_that_began_to_declare_tools_after_the_first_look_came_later(file: Path) -> None:
    trust = Trust(file, first_use=True)
    assert standing(trust, discover(parts={})) == [Standing.NEW]
    assert standing(trust, discover("add")) == [Standing.LATER]


def test_an_app_that_was_silent_at_the_first_look_is_one_of_it(file: Path) -> None:
    trust = Trust(file, first_use=True)
    assert standing(trust, discover(parts={"provider": UNKNOWN})) == [Standing.NEW]
    assert standing(trust, discover("add", parts={"provider": "1"})) == [Standing.FOUND]


def test_only_what_the_owner_approved_is_listed_where_apps_are_asked_about(file: Path) -> None:
    found = Trust(file, first_use=True)
    found.judge("R58M", [discover("add")])
    assert standing(Trust(file, first_use=False), discover("add"), phone="R58M") == [Standing.NEW]
    assert standing(found, discover("add"), phone="R58M") == [Standing.FOUND]
    # What changed meanwhile is not what was found.
    standing(Trust(file, first_use=False), discover("add", signer="bb"), phone="R58M")
    assert standing(found, discover("add", signer="bb"), phone="R58M") == [Standing.LATER]
    found.approve(PACKAGE)
    asks = Trust(file, first_use=False)
    assert standing(asks, discover("add", signer="bb"), phone="R58M") == [Standing.APPROVED]


def test_apps_of_our_own_phone_follow_this_program_until_they_are_revoked(file: Path) -> None:
    trust = Trust(file, first_use=True)

    def ours(app: DiscoveredApp) -> Standing:
        return trust.judge("virtual", [app], ours=True)[PACKAGE].standing

    changed = discover("add", parts={".Service": "2"})
    assert [ours(discover("add")), ours(changed)] == [Standing.OURS] * 2
    trust.revoke(PACKAGE)
    assert ours(changed) is Standing.REVOKED
    trust.approve(PACKAGE)
    assert ours(discover("add")) is Standing.OURS
    # A phone that has its name is not ours by that.
    assert standing(trust, discover("add")) == [Standing.LATER]
    assert standing(trust, changed) == [Standing.CHANGED]
    assert ours(changed) is Standing.OURS


def test_asking_lists_nothing_before_it_is_approved(file: Path) -> None:
    trust = Trust(file, first_use=False)
    assert standing(trust, discover("add")) == [Standing.NEW]
    (record,) = trust.approve(PACKAGE)
    assert (record.standing, record.tools) == (Standing.APPROVED, ("app_add",))
    assert standing(trust, discover("add")) == [Standing.APPROVED]


def test_an_app_that_changed_since_it_was_shown_is_not_approved(file: Path) -> None:
    trust = Trust(file, first_use=False)
    seen = trust.judge("virtual", [discover("add")])[PACKAGE].seen.digest
    # By another process, as the server is one for the command line.
    Trust(file, first_use=False).judge("virtual", [discover("add", signer="bb")])
    with pytest.raises(TrustError, match=r"has changed meanwhile\. Look at it again\."):
        trust.approve(PACKAGE, "virtual", seen)
    assert standing(trust, discover("add", signer="bb")) == [Standing.NEW]
    assert trust.approve(PACKAGE, "virtual", trust.records()["virtual"][0].seen.digest)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (discover("add", signer="bb"), "it is signed by somebody else"),
        (discover("add", parts={".Service": "2"}), "it declares its tools differently"),
        (
            discover("add", parts={".Service": "1", "more": "1"}),
            "it declares its tools differently",
        ),
    ],
)
def test_a_change_withdraws_the_tools_until_it_is_approved(
    file: Path, changed: DiscoveredApp, reason: str
) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("virtual", [discover("add")])
    record = trust.judge("virtual", [changed])[PACKAGE]
    assert (record.standing, record.change) == (Standing.CHANGED, reason)
    trust.approve(PACKAGE)
    assert standing(trust, changed) == [Standing.APPROVED]


SILENT = discover("add", parts={".Service": "1", "provider": UNKNOWN})
HEARD = discover("add", parts={".Service": "1", "provider": "1"})
OTHER = discover("add", parts={".Service": "1", "provider": "2"})


def test_what_was_silent_at_first_use_is_pinned_when_it_is_first_heard(file: Path) -> None:
    trust = Trust(file, first_use=True)
    assert [standing(trust, each) for each in (SILENT, HEARD, SILENT, HEARD)] == [
        [Standing.FOUND]
    ] * 4
    assert standing(trust, OTHER) == [Standing.CHANGED]


def test_what_was_silent_when_it_was_approved_is_asked_for_when_it_is_heard(file: Path) -> None:
    trust = Trust(file, first_use=False)
    trust.judge("virtual", [SILENT])
    trust.approve(PACKAGE)
    assert standing(trust, SILENT) == [Standing.APPROVED]
    assert standing(trust, HEARD) == [Standing.CHANGED]
    trust.approve(PACKAGE)
    trust.judge("virtual", [SILENT])
    trust.approve(PACKAGE)
    assert [standing(trust, each) for each in (HEARD, OTHER)] == [
        [Standing.APPROVED],
        [Standing.CHANGED],
    ]


def test_what_the_owner_did_not_see_is_not_approved(file: Path) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("R58M", [SILENT])
    trust.approve(PACKAGE)
    assert standing(trust, SILENT, phone="R58M") == [Standing.APPROVED]
    assert standing(trust, HEARD, phone="R58M") == [Standing.LATER]
    trust.approve(PACKAGE)
    for each in (HEARD, SILENT, HEARD):
        assert standing(trust, each, phone="R58M") == [Standing.APPROVED]


def test_a_silent_part_of_another_signer_is_not_pinned(file: Path) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("virtual", [SILENT])
    forged = discover("add", signer="bb", parts=HEARD.parts)
    assert standing(trust, forged) == [Standing.CHANGED]
    assert standing(trust, OTHER) == [Standing.FOUND]


def test_what_is_no_longer_there_is_no_change(file: Path) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("virtual", [discover("add", parts={".Service": "1", "provider": "1"})])
    assert standing(trust, discover("add")) == [Standing.FOUND]


def test_an_app_that_left_the_phone_is_known_to_be_gone_until_it_is_back(file: Path) -> None:
    trust = Trust(file, first_use=True)
    others = discover("find", package="org.b")

    def present() -> dict[str, bool]:
        return {record.package: record.present for record in trust.records()["virtual"]}

    trust.judge("virtual", [discover("add"), others])
    trust.judge("virtual", [others])
    assert present() == {PACKAGE: False, "org.b": True}
    assert standing(trust, discover("add"), others) == [Standing.FOUND] * 2
    assert present() == {PACKAGE: True, "org.b": True}
    trust.judge("virtual", [])
    assert present() == {PACKAGE: False, "org.b": False}


def test_what_an_earlier_version_approved_was_found(file: Path) -> None:
    """Nothing in its file tells what the owner approved from what was there."""
    trust = Trust(file, first_use=True)
    trust.judge("R58M", [discover("add")])
    trust.approve(PACKAGE)
    text = file.read_text(encoding="utf-8")
    for now, then in (
        (',\n    "present": true', ""),
        ('    "by": "approved",\n', ""),
        ('"pinned": {', '"approved": {'),
    ):
        assert now in text
        text = text.replace(now, then)
    file.write_text(text, encoding="utf-8")
    (record,) = Trust(file, first_use=True).records()["R58M"]
    assert (record.standing, record.present) == (Standing.FOUND, True)
    assert standing(trust, discover("add"), phone="R58M") == [Standing.FOUND]


def test_a_revoked_app_is_not_taken_for_a_new_one(file: Path) -> None:
    trust = Trust(file, first_use=True)
    trust.judge("virtual", [discover("add")])
    trust.revoke(PACKAGE)
    assert standing(trust, discover("add")) == [Standing.REVOKED]
    assert standing(Trust(file, first_use=True), discover("add")) == [Standing.REVOKED]
    trust.approve(PACKAGE)
    assert standing(trust, discover("add")) == [Standing.APPROVED]


def test_each_phone_is_judged_by_itself(file: Path) -> None:
    trust = Trust(file, first_use=False)
    trust.judge("one", [discover("add")])
    trust.judge("two", [discover("add")])
    trust.approve(PACKAGE, "one")
    assert standing(trust, discover("add"), phone="one") == [Standing.APPROVED]
    assert standing(trust, discover("add"), phone="two") == [Standing.NEW]


def test_another_process_is_noticed(file: Path) -> None:
    server, person = Trust(file, first_use=True), Trust(file, first_use=True)
    server.judge("virtual", [discover("add")])
    person.revoke(PACKAGE)
    assert standing(server, discover("add")) == [Standing.REVOKED]


def test_two_processes_lose_nothing_of_each_other(file: Path) -> None:
    one, two = Trust(file, first_use=True), Trust(file, first_use=True)
    one.judge("virtual", [])
    for number in range(10):
        (one if number % 2 else two).judge("virtual", [discover("add", package=f"a.b{number}")])
    assert len(Trust(file, first_use=True).records()["virtual"]) == 10


def test_the_file_is_of_this_user_alone(file: Path) -> None:
    Trust(file, first_use=True).judge("virtual", [discover("add")])
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_app_that_was_never_seen_cannot_be_approved(file: Path) -> None:
    with pytest.raises(TrustError) as caught:
        Trust(file, first_use=True).approve("com.nobody")
    assert str(caught.value) == (
        "No app 'com.nobody' that offers tools has been seen. `handheld apps list` shows the apps"
        " that have tools."
    )


@pytest.mark.parametrize("content", ["", "[]", "{", '{"names": {}}', '{"names": [], "phones": 5}'])
def test_a_damaged_file_is_reported_and_not_treated_as_empty(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    with pytest.raises(TrustError) as caught:
        Trust(file, first_use=True).judge("virtual", [discover("add")])
    assert "is damaged" in str(caught.value)
    assert file.read_text(encoding="utf-8") == content
