"""Anchors distinguish the rows of a list."""

from handheld.phone.screen.anchor import anchors
from handheld.screen.model import Flag, Node, Window

from .world import LIST, root, row, view


def anchored(*nodes: Node) -> dict[str, str]:
    window = Window(1, "APPLICATION", None, None, 0, True, list(nodes))
    found = anchors(window)
    return {
        node.key: nodes[anchor].key
        for node, anchor in zip(nodes, found, strict=True)
        if anchor >= 0
    }


def test_without_a_list_nothing_has_an_anchor() -> None:
    assert anchored(root(), *row(1, "Ann")) == {}


def test_nodes_are_anchored_in_their_own_row() -> None:
    assert anchored(root(LIST), *row(1, "Ann"), *row(2, "Bob")) == {
        "row1": "title1",
        "title1": "delete1",
        "delete1": "title1",
        "row2": "title2",
        "title2": "delete2",
        "delete2": "title2",
    }


def test_a_row_of_a_single_node_has_no_anchor() -> None:
    assert anchored(root(Flag.COLLECTION), view("a", text="Ann"), view("b", text="Bob")) == {}


def test_the_nearest_list_counts_and_ends_with_its_subtree() -> None:
    nodes = [
        root(LIST),
        view("shelf", 1, flags=LIST),
        view("cover", 2, text="Dune"),
        view("stars", 3, description="5 stars"),
        view("other", 2, text="Emma"),
        view("after", 1, text="After"),
    ]
    # The shelf is a row of the outer list; its contents belong to the shelf's own rows.
    assert anchored(*nodes) == {"shelf": "cover", "cover": "stars", "stars": "cover"}


def test_an_empty_window_has_no_anchors() -> None:
    assert anchored() == {}
