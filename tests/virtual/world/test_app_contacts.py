"""A thousand contacts: only the rows on the screen exist, and are recycled."""

from handheld_virtual.apps.contacts.app import ContactList
from handheld_virtual.apps.contacts.people import everybody
from handheld_virtual.world import World

from .finger import Finger, centre

APP = "com.android.contacts"


def names(finger: Finger) -> list[str]:
    ids = (node for node in finger.nodes() if (node.resource_id or "").endswith("name_textview"))
    return [node.text or "" for node in ids]


def keys(finger: Finger) -> set[str]:
    return {node.key for node in finger.nodes() if (node.resource_id or "").endswith("/cliv_row")}


def test_a_thousand_contacts_are_listed_in_order_without_duplicates():
    people = everybody()
    assert len({contact.name for contact in people}) == 1000
    assert [people[0].name, people[-1].name] == ["Ada Adeyemi", "Zoë Zimmermann"]


def test_rows_that_scroll_out_pass_their_views_to_others(world: World, finger: Finger):
    world.launch(APP)
    before, shown = keys(finger), names(finger)
    assert shown[:2] == ["Ada Adeyemi", "Ada Álvarez"]
    assert len(shown) < 20
    for _ in range(5):
        finger.drag(400, 1800, 800)
    assert not set(names(finger)) & set(shown)
    assert len(keys(finger) & before) >= len(before) - 1


def test_a_finger_on_a_letter_jumps_there(world: World, finger: Finger):
    world.launch(APP)
    left, top, right, bottom = finger.find("fast_scroller").bounds
    finger.tap_at((left + right) / 2, bottom - 2)
    assert names(finger)[0] == "Zoë Adeyemi"
    finger.drag((left + right) / 2, bottom - 2, top + 2)
    assert names(finger)[0] == "Ada Adeyemi"


def test_the_search_finds_names_without_accents_and_numbers(world: World, finger: Finger):
    world.launch(APP)
    finger.tap("search_view")
    world.type_text("zoe alv")
    assert names(finger) == ["Zoë Álvarez"]
    assert finger.text("contact_count") == "1 contact"
    number = finger.text("cliv_data_view") or ""
    world.automation.set_text(finger.find("search_view").key, number.replace(" ", "")[-7:])
    assert names(finger) == ["Zoë Álvarez"]
    world.type_text("zzz")
    assert finger.text("empty_text") == "No contacts found"


def test_a_contact_leads_to_a_message(world: World, finger: Finger):
    world.launch(APP)
    finger.tap("Ada Bauer")
    assert finger.text("large_title") == "Ada Bauer"
    finger.tap("Message")
    assert world.foreground is not None
    assert world.foreground[0] == "com.android.messaging"
    assert finger.text("conversation_title") == "Ada Bauer"


def test_search_resets_the_scroll_position(world: World, finger: Finger):
    world.launch(APP)
    x, _ = centre(finger.find("fast_scroller"))
    finger.tap_at(x, 2200)
    finger.tap("search_view")
    world.type_text("ada")
    assert isinstance(world.front, ContactList)
    assert names(finger)[0] == "Ada Adeyemi"
