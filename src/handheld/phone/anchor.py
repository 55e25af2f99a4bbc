"""For each node under a list, an anchor: another node of its row, which distinguishes the rows; and
the container that would have to scroll to bring the node back."""

from ..ui.model import Flag, Window

_SCROLLABLE = Flag.SCROLLABLE.value
_LISTS = int(Flag.SCROLLABLE | Flag.COLLECTION)


def anchors(window: Window) -> list[int]:
    """Return for each node the position of its anchor, or -1.

    The anchor is the first other node with text or description in the same direct child of the
    nearest scrollable or collection ancestor.
    """
    nodes = window.nodes
    count = len(nodes)
    row_of = [-1] * count
    row_end: dict[int, int] = {}
    # The path to the current node: depth, whether it is a list, and the row it is in.
    trail: list[tuple[int, bool, int]] = []
    open_rows: list[tuple[int, int]] = []
    for number, node in enumerate(nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        while open_rows and open_rows[-1][0] >= depth:
            row_end[open_rows.pop()[1]] = number
        row = -1
        if trail:
            _, is_list, row = trail[-1]
            if is_list:
                row = number
                open_rows.append((depth, number))
        row_of[number] = row
        trail.append((depth, node.flags & _LISTS != 0, row))
    for _, row in open_rows:
        row_end[row] = count
    if not row_end:
        return row_of

    labelled = [count] * (count + 1)
    for number in range(count - 1, -1, -1):
        node = nodes[number]
        labelled[number] = number if node.text or node.description else labelled[number + 1]
    found = [-1] * count
    for number, row in enumerate(row_of):
        if row >= 0:
            anchor = labelled[row]
            if anchor == number:
                anchor = labelled[number + 1]
            if anchor < row_end[row]:
                found[number] = anchor
    return found


def items(window: Window) -> list[tuple[int, int] | None]:
    """Return for each node row and column of the list item that it is or is in."""
    found: list[tuple[int, int] | None] = []
    trail: list[tuple[int, tuple[int, int] | None]] = []
    for number, node in enumerate(window.nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        place = window.items.get(number, trail[-1][1] if trail else None)
        found.append(place)
        trail.append((depth, place))
    return found


def containers(window: Window) -> list[int]:
    """Return for each node the position of its nearest scrollable ancestor, or -1."""
    found: list[int] = []
    # The path to the current node: depth, and the container of its children.
    trail: list[tuple[int, int]] = []
    for number, node in enumerate(window.nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        container = trail[-1][1] if trail else -1
        found.append(container)
        trail.append((depth, number if node.flags & _SCROLLABLE else container))
    return found
