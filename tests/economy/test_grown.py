"""Whatever a screen holds: nothing of it is lost, and each ref is what it stands for."""

import re
from collections import Counter
from typing import cast

from bench.economy import checks, facts, printed
from bench.economy.captures import Capture
from hypothesis import given

from handheld.driver import ElementDriver
from handheld.errors import ElementNotFound
from handheld.phone.screen.elements import Elements
from handheld.phone.screen.screen_log import ScreenLog
from handheld.tools.agent.elements.targets import find_target

from .grown import grown_screens

_WORD = re.compile(r"[wמ]\d+")
_OFF = re.compile(r"(\d+) texts? off screen")


@given(grown_screens())
def test_everything_visible_is_printed_once_in_reading_order_and_the_rest_is_counted(
    capture: Capture,
) -> None:
    shown = capture.print()
    elements = facts.read(capture.xml)
    found = checks.check(elements, printed.read(shown.text), shown.places)
    assert found.lost_texts == []
    assert found.lost_targets == []
    assert found.lost_states == []
    assert found.disordered == []
    visible = Counter(words for element in elements for words in element.texts)
    in_rows = Counter(_WORD.findall("\n".join(row.text for row in shown.rows.rows)))
    assert in_rows == visible, shown.text
    hidden = len(_WORD.findall(capture.xml)) - visible.total()
    off = _OFF.search(shown.text)
    assert hidden == (int(off[1]) if off else 0)


@given(grown_screens())
def test_a_ref_and_the_words_of_a_target_mean_the_element_that_was_printed(
    capture: Capture,
) -> None:
    log = ScreenLog()
    # Nothing is asked of the phone.
    shown = log.show(Elements(cast("ElementDriver", None)), capture.screen)
    nodes = capture.screen.windows[0].nodes if capture.screen.windows else []
    of = {words: at for at, node in enumerate(nodes) for words in (node.text, node.description)}
    for _, thing in shown.rows.things:
        words = _WORD.findall(thing.words)
        for name in ([thing.ref] if thing.ref else []) + words:
            meant = find_target(log, shown, name)
            assert meant.thing is not None
            assert meant.thing.place == thing.place
            if not thing.ref:
                # A text is touched where it is, also if others above it are printed with it.
                assert (meant.place or thing.place)[1] == of[name]
        node = nodes[thing.place[1]]
        own = {node.text, node.description} - {None, ""}
        assert own <= set(words)
    for ref in {row.ref for row in shown.rows.rows if row.ref}:
        try:
            find_target(log, shown, ref)
        except ElementNotFound as failure:
            raise AssertionError(shown.rows.text) from failure
