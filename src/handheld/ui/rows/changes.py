"""What changed between two screens, as rows."""

from collections import Counter

from .screen import Row, Rows

SHARE = 0.4
"""Changes longer than this share of the screen are not worth it: the whole screen is shown."""
MOST_NAMED = 5
"""Rows that are gone and listed one by one."""


def changed_rows(before: Rows, after: Rows) -> list[str] | None:
    """Return the changed rows as lines, empty if nothing changed; None if the whole screen says it
    better: another app, window or dialog, a long list of changes, or things that only vanished."""
    if before.header != after.header or before.front_id != after.front_id:
        return None
    old, new = _keyed(before), _keyed(after)
    lines: list[str] = []
    gone = [row for key, row in old.items() if key not in new]
    appeared = False
    for key, row in new.items():
        text = row.text.strip()
        if key not in old:
            lines.append(f"+ {text}")
            appeared = True
        elif old[key].text.strip() != text:
            lines.append(f"~ {text}")
            appeared = True
    if gone and not appeared:
        return None
    if len(gone) > MOST_NAMED:
        lines.append(f"- {len(gone)} rows")
    else:
        lines += [f"- {row.text.strip()}" for row in gone]
    lines += [f"+ {line}" for line in after.tail if line not in before.tail]
    lines += [f"- {line}" for line in before.tail if line not in after.tail]
    if sum(map(len, lines)) > SHARE * len(after.text):
        return None
    return lines


def _keyed(rows: Rows) -> dict[tuple[str, int], Row]:
    """Rows by what they are recognised by: their first ref, or else their text."""
    seen = Counter[str]()
    found: dict[tuple[str, int], Row] = {}
    for row in rows.rows:
        refs = row.refs
        key = refs[0] if refs else row.text.strip()
        seen[key] += 1
        found[key, seen[key]] = row
    return found
