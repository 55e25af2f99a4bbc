"""What `make chaos WHAT=fleet` takes for a violation."""

from dataclasses import replace
from typing import Any

import pytest
from chaos.calls import Effect, Outcome
from chaos.fleet.check import (
    ELSEWHERE,
    FORMER,
    LATE,
    TWO_HOLDERS,
    UNASKED,
    Fault,
    FleetCall,
    Grant,
    Touch,
    check_fleet,
)
from chaos.fleet.clients import PAD, FleetRun

HOSTS = {"left0": ["host left"], "moving": ["host left", "host right"]}
POINT = "300,400"
LOST = {"outcome": Outcome.LOST}


def tap(began: float, point: str = POINT, client: str = "ann", **more: Any) -> FleetCall:
    call = FleetCall(
        client,
        "fleet",
        "android_tap",
        (Effect("touch", point),),
        budget=60,
        began=began,
        took=1.0,
        outcome=Outcome.DONE,
        gateway="gateway front",
        at="left0",
    )
    return replace(call, **more)


def lease(client: str, asked: float) -> Grant:
    return Grant(f"lease-{client}", client, "left0", asked, asked + 1, 60)


def kinds(
    calls: list[FleetCall],
    touches: list[Touch],
    grants: list[Grant] | None = None,
    faults: list[Fault] | None = None,
) -> list[str]:
    found = check_fleet(calls, touches, grants or [], faults or [], HOSTS, slack=3)
    return [one.kind for one in found]


@pytest.mark.parametrize(
    ("call", "touches", "violations"),
    [
        ({}, [10.1], []),
        ({}, [], ["said done, was not"]),
        ({}, [10.1, 10.2], ["done twice"]),
        ({"outcome": Outcome.FAILED}, [], []),
        ({"outcome": Outcome.FAILED}, [10.1], ["said not done, was"]),
        ({"outcome": Outcome.UNKNOWN}, [10.1], []),
        ({"outcome": Outcome.UNKNOWN}, [], []),
        ({"outcome": Outcome.LEFT}, [10.1, 10.2], ["done twice"]),
        ({"outcome": Outcome.REFUSED}, [], ["call refused by the server"]),
        ({"outcome": Outcome.HUNG}, [], ["call beyond its budget"]),
        ({"took": 61.0}, [10.1], ["call beyond its budget"]),
        (LOST, [], ["call without an answer"]),
        ({"ended": True}, [10.1], [FORMER]),
        ({"at": "moving"}, [10.1], [ELSEWHERE]),
        ({"at": ""}, [10.1], []),
        ({}, [17.9], []),
        ({}, [18.1], [LATE]),
    ],
)
def test_a_reply_is_compared_with_the_touches(
    call: dict[str, Any], touches: list[float], violations: list[str]
) -> None:
    made = [Touch(at, "left0", POINT) for at in touches]
    assert kinds([tap(10, **call)], made) == violations


def test_a_touch_that_no_call_asked_for_is_found() -> None:
    assert kinds([tap(10)], [Touch(10.1, "left0", POINT), Touch(10.2, "left0", "1,1")]) == [UNASKED]


@pytest.mark.parametrize(
    ("fault", "violations"),
    [
        (Fault("killed", "gateway front", 10.5, 12), []),
        (Fault("killed", "gateway front", 8, 10.2), []),
        (Fault("killed", "gateway front", 6, 8), ["call without an answer"]),
        (Fault("killed", "gateway back", 10.5, 12), ["call without an answer"]),
        (Fault("paused", "gateway front", 10.5, 12), ["call without an answer"]),
    ],
)
def test_only_a_gateway_that_was_killed_may_leave_a_call_unanswered(
    fault: Fault, violations: list[str]
) -> None:
    assert kinds([tap(10, **LOST)], [], faults=[fault]) == violations


@pytest.mark.parametrize(
    ("fault", "violations"),
    [
        (Fault("paused", "host left", 11, 26), []),
        (Fault("paused", "gateway front", 11, 26), []),
        (Fault("paused", "host right", 11, 26), [LATE]),
        (Fault("paused", "gateway back", 11, 26), [LATE]),
        (Fault("paused", "node 1", 11, 26), [LATE]),
        (Fault("link silent", "gateway front", 11, 26), [LATE]),
        (Fault("paused", "host left", 11, 15), [LATE]),
    ],
)
def test_what_stood_still_with_a_call_is_not_its_age(fault: Fault, violations: list[str]) -> None:
    call = tap(10, took=20.0, outcome=Outcome.UNKNOWN)
    assert kinds([call], [Touch(27, "left0", POINT)], faults=[fault]) == violations


def test_what_a_gateway_does_long_after_the_client_has_left_is_late() -> None:
    paused = [Fault("paused", "gateway front", 9, 26)]
    call = tap(10, outcome=Outcome.LEFT)
    assert kinds([call], [Touch(27, "left0", POINT)], faults=paused) == [LATE]
    assert kinds([call], [Touch(12, "left0", POINT)], faults=paused) == []


def test_the_time_in_which_a_gateway_stands_still_is_not_of_the_budget() -> None:
    paused = [Fault("paused", "gateway front", 20, 50)]
    assert kinds([tap(10, took=85.0)], [Touch(10.1, "left0", POINT)], faults=paused) == []
    assert kinds([tap(10, took=95.0)], [Touch(10.1, "left0", POINT)], faults=paused) == [
        "call beyond its budget"
    ]


@pytest.mark.parametrize(
    ("grant", "fault", "violations"),
    [
        ({}, None, [TWO_HOLDERS]),
        ({"asked": 9.5, "told": 10.5}, None, []),  # it was not told yet
        ({"given_back": 9.0}, None, []),
        ({"given_back": 11.0}, None, [TWO_HOLDERS]),
        ({"seconds": 5.0}, None, []),
        ({"phone": "moving"}, None, []),
        ({"client": "bob"}, None, []),
        ({}, Fault("killed", "host left", 8, 9), []),
        ({}, Fault("killed", "host right", 8, 9), [TWO_HOLDERS]),
        ({}, Fault("paused", "host left", 8, 9), [TWO_HOLDERS]),
        ({}, Fault("killed", "gateway front", 8, 9), [TWO_HOLDERS]),
    ],
)
def test_nobody_else_touches_a_phone_whose_holder_was_told(
    grant: dict[str, Any], fault: Fault | None, violations: list[str]
) -> None:
    """Bob touches at 10.1 s; Ann took the phone at 2 to 3 s, for a minute."""
    found = kinds(
        [tap(10, client="bob")],
        [Touch(10.1, "left0", POINT)],
        [replace(lease("ann", 2), **grant)],
        [fault] if fault else [],
    )
    assert found == violations


@pytest.mark.parametrize(
    ("grant", "fault", "violations"),
    [
        ({}, None, [TWO_HOLDERS]),
        ({"given_back": 10.5}, None, []),
        ({}, Fault("moved", "left0", 5, 5), []),
        ({}, Fault("moved", "moving", 5, 5), [TWO_HOLDERS]),
    ],
)
def test_a_phone_that_somebody_has_is_not_granted_to_another(
    grant: dict[str, Any], fault: Fault | None, violations: list[str]
) -> None:
    grants = [replace(lease("ann", 2), **grant), lease("bob", 10)]
    assert kinds([], [], grants, [fault] if fault else []) == violations


def test_leases_touch_one_after_the_other() -> None:
    order = ["ann", "ann", "bob", "ann", "bob"]
    calls = [
        tap(10 + n, point=f"300,{n}", client=client, handle=f"lease-{client}")
        for n, client in enumerate(order)
    ]
    touches = [Touch(10.1 + n, "left0", f"300,{n}") for n in range(len(order))]
    assert kinds(calls[:3], touches[:3]) == []
    # Ann's came back after Bob's. What Bob does then is right.
    assert kinds(calls, touches) == [TWO_HOLDERS]


def test_no_two_calls_touch_at_one_point() -> None:
    run = FleetRun(1, 1)
    left, right, top, _ = PAD
    points = [run.point()[:2] for _ in range(2 * (right - left))]
    assert len(set(points)) == len(points)
    assert points[0] == (left, top)
    assert points[-1] == (right - 1, top + 1)
