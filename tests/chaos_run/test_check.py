"""What `make chaos` takes for a violation."""

from collections import Counter

import pytest
from chaos.calls import Call, Effect, Outcome, judge
from chaos.check import LIMIT, check_calls, check_memory, read_journal
from chaos.ledger import find_words

TAP = Effect("down", "300,200")


@pytest.mark.parametrize(
    ("outcome", "times", "violations"),
    [
        (Outcome.DONE, 1, []),
        (Outcome.DONE, 0, ["said done, was not"]),
        (Outcome.DONE, 2, ["done twice"]),
        (Outcome.FAILED, 0, []),
        (Outcome.FAILED, 1, ["said not done, was"]),
        (Outcome.UNKNOWN, 0, []),
        (Outcome.UNKNOWN, 1, []),
        (Outcome.UNKNOWN, 2, ["done twice"]),
        (Outcome.LEFT, 1, []),
        (Outcome.LOST, 0, ["call without an answer"]),
        (Outcome.HUNG, 0, ["call beyond its budget"]),
        (Outcome.REFUSED, 0, ["call refused by the server"]),
    ],
)
def test_reply_is_compared_with_what_the_phone_noted(
    outcome: Outcome, times: int, violations: list[str]
) -> None:
    call = Call("c", "one", "android_tap", (TAP,), budget=1.0, outcome=outcome)
    journal = read_journal([["down", "300,200"]] * times, {})
    assert [one.kind for one in check_calls([call], {"one": journal})] == violations


def test_answer_after_the_budget_is_a_violation() -> None:
    call = Call("c", "one", "android_tap", budget=1.0, took=1.5, outcome=Outcome.DONE)
    (violation,) = check_calls([call], {"one": Counter()})
    assert violation.kind == "call beyond its budget"


def test_click_that_no_call_asked_for_acted_on_another_element() -> None:
    call = Call(
        "c", "one", "android_click_element", (Effect("row", "Order 1"),), 1.0, outcome=Outcome.DONE
    )
    journal = read_journal([["row", "Order 2"]], {})
    assert {one.kind for one in check_calls([call], {"one": journal})} == {
        "said done, was not",
        "acted on another element",
    }


def test_finger_on_what_had_come_to_the_place_is_no_fault_of_a_phone_without_the_helper() -> None:
    calls = [
        Call("c", "one", "android_click_element", (Effect("row", name),), 1.0, outcome=Outcome.DONE)
        for name in ("Order 1", "Order 2", "Order 3")
    ]
    down = ["down", "540,900"]
    notes = [down, ["touched row", "Order 1"], down, ["touched row", "Order 9"]]
    kinds = [one.kind for one in check_calls(calls, {"one": read_journal(notes, {})})]
    # One finger explains one of the two that were missed.
    assert kinds == [LIMIT, LIMIT, "said done, was not"]


def test_finger_on_nothing_is_no_fault_of_a_phone_without_the_helper() -> None:
    call = Call("c", "one", "phone_tap", (Effect("row", "Order 1"),), 1.0, outcome=Outcome.DONE)
    journal = read_journal([["down", "540,900"]], {})
    assert [one.kind for one in check_calls([call], {"one": journal})] == [LIMIT]


def test_touch_outside_the_pad_is_a_click_by_shell() -> None:
    journal = read_journal([["down", "540,900"], ["down", "300,200"]], {})
    (violation,) = check_calls([], {"one": journal})
    assert violation == ("asked by nobody", "down 300,200 1 times on one")


def test_lines_and_files_are_counted() -> None:
    files = {"chaos-log-w1.txt": "begin\nw2\nw2\n", "chaos-w3.txt": "w3"}
    assert read_journal([], files) == {("appended", "w2"): 2, ("written", "chaos-w3.txt w3"): 1}


@pytest.mark.parametrize(
    ("failed", "text", "outcome"),
    [
        (False, "Tap executed at (1, 2)", Outcome.DONE),
        (False, "k1 is selected already: nothing was tapped.", Outcome.FAILED),
        (True, "It broke. Nothing was done.", Outcome.FAILED),
        (True, "It broke. It may or may not have happened: call phone_look.", Outcome.UNKNOWN),
        (True, "The action was begun and not completed; look.", Outcome.UNKNOWN),
        (True, "The message may have been sent.", Outcome.UNKNOWN),
    ],
)
def test_outcome_is_what_the_reply_says(failed: bool, text: str, outcome: Outcome) -> None:
    assert judge(failed, text) is outcome


@pytest.mark.parametrize(
    ("times", "violations"),
    [
        ((1, 0, 0), []),
        ((1, 1, 0), []),
        ((0, 0, 0), ["said done, was not"]),
        ((1, 0, 1), ["said not done, was"]),
    ],
)
def test_steps_of_one_call_are_judged_one_by_one(
    times: tuple[int, ...], violations: list[str]
) -> None:
    effects = tuple(Effect("down", f"{300 + step},200") for step in range(3))
    text = '1 of 3 done: Tapped. Step 2, tap "x": It may or may not have happened.'
    call = Call("c", "one", "phone_do", effects, 1.0, outcome=Outcome.UNKNOWN, text=text)
    journal = Counter({("down", f"{300 + step},200"): count for step, count in enumerate(times)})
    assert [one.kind for one in check_calls([call], {"one": journal})] == violations


@pytest.mark.parametrize(("last", "count"), [(104.0, 0), (106.0, 1), (50.0, 0)])
def test_memory_of_the_last_tenth_is_compared_with_the_second(last: float, count: int) -> None:
    samples = [40.0] * 10 + [100.0] * 10 + [200.0] * 70 + [last] * 10
    assert len(check_memory(samples)) == count


def test_word_after_the_begin_of_one_whose_typing_was_interrupted_is_counted() -> None:
    assert find_words("w119;w122;w1w186;w18") == Counter(["w119;", "w122;", "w186;"])
