"""Ids of notifications: each means what was listed, or nothing."""

import pytest

from handheld.driver.notifications import Notification, NotificationAction
from handheld.errors import ElementNotFound
from handheld.phone.notifications.issued_notifications import MOST, IssuedNotifications
from handheld.screen.ids import java_hash


def made(key: str, *titles: str) -> Notification:
    actions = tuple(NotificationAction(title, None) for title in titles)
    return Notification(key, "a.b", "A", 1, "Title", actions=actions)


def test_an_id_is_the_hash_of_the_key_and_of_the_place_of_an_action() -> None:
    issued = IssuedNotifications()
    [one] = issued.issue([made("k", "Answer", "Mute")])
    first, second = (f"{java_hash(f'k::{place}'):08x}" for place in range(2))
    assert (one.id, one.action_ids) == ("0000006b", (first, second))
    assert issued.find(one.id) is one
    assert issued.find_action(one.action_ids[1]) == (one, 1)
    assert [(id, action.title) for id, action in one.actions] == [
        (first, "Answer"),
        (second, "Mute"),
    ]


def test_a_second_key_with_the_same_hash_gets_another_id() -> None:
    assert java_hash("0|Aa") == java_hash("0|BB")
    issued = IssuedNotifications()
    first, second = issued.issue([made("0|Aa"), made("0|BB")])
    assert first.id != second.id
    assert issued.find(first.id).seen.key == "0|Aa"
    assert issued.find(second.id).seen.key == "0|BB"
    again, other = issued.issue([made("0|BB"), made("0|Aa")])
    assert (again.id, other.id) == (second.id, first.id)


def test_an_id_means_what_was_listed_last() -> None:
    issued = IssuedNotifications()
    [one] = issued.issue([made("k", "Answer", "Mute")])
    [now] = issued.issue([made("k", "Mute")])
    assert now.id == one.id
    assert issued.find(one.id) is now
    assert issued.find_action(one.action_ids[0]) == (now, 0)
    with pytest.raises(ElementNotFound):
        issued.find_action(one.action_ids[1])


def test_ids_of_notifications_and_actions_are_not_mixed_up() -> None:
    issued = IssuedNotifications()
    [one] = issued.issue([made("k", "Answer")])
    with pytest.raises(ElementNotFound):
        issued.find(one.action_ids[0])
    with pytest.raises(ElementNotFound):
        issued.find_action(one.id)


def test_the_oldest_are_forgotten() -> None:
    """As behaviour 106 states."""
    issued = IssuedNotifications()
    [first, second] = issued.issue([made("first", "Answer"), made("second")])
    issued.issue([made("second")])
    issued.issue(made(f"k{number}") for number in range(MOST - 1))
    with pytest.raises(ElementNotFound):
        issued.find(first.id)
    with pytest.raises(ElementNotFound):
        issued.find_action(first.action_ids[0])
    assert issued.find(second.id).seen.key == "second"
    issued.forget()
    with pytest.raises(ElementNotFound):
        issued.find(second.id)
