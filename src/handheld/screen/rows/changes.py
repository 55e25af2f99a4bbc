"""The changes between two screens, as rows."""

from collections import Counter

from .screen import Row, Rows

SHARE = 0.4
"""Changes over this share of the screen are not worth listing: the whole screen is shown."""
MOST_NAMED = 5
"""The most rows that are gone and listed one by one."""

_Keyed = dict[tuple[str, int], Row]


def changed_rows(before: Rows, after: Rows) -> list[str] | None:
    """Return the changed rows as lines, empty if nothing changed; None if the whole screen is
    clearer: another app, window or dialog, a long list of changes, or things that only vanished."""
    if before.title() != after.title() or before.front_id != after.front_id:
        return None
    old, new = _keyed(before), _keyed(after)
    gone = {key: row for key, row in old.items() if key not in new}
    came = {key: row for key, row in new.items() if key not in old}
    replaced = _replaced_texts(gone, came)
    begun_anew = _begun_anew(gone, came)
    lines: list[str] = []
    for key, row in new.items():
        if key in begun_anew:
            lines.append(f"~ {_changed_part(begun_anew[key], row)}")
        elif key in replaced:
            lines.append(f"~ {row.text.strip()}")
        elif key in came:
            lines.append(f"+ {row.text.strip()}")
        elif old[key].text.strip() != row.text.strip():
            lines.append(f"~ {_changed_part(old[key], row)}")
    if gone and not lines:
        return None
    if len(gone) > MOST_NAMED:
        lines.append(f"- {len(gone)} rows")
    else:
        lines += [f"- {row.text.strip()}" for row in gone.values()]
    lines += [f"+ {line}" for line in after.tail if line not in before.tail]
    lines += [f"- {line}" for line in before.tail if line not in after.tail]
    if sum(map(len, lines)) > SHARE * len(after.text):
        return None
    return lines


def _replaced_texts(gone: _Keyed, came: _Keyed) -> set[tuple[str, int]]:
    """Return the new rows of plain text that replace gone ones, which are taken out of `gone`."""
    old = [key for key, row in gone.items() if not row.refs and row.things]
    new = [key for key, row in came.items() if not row.refs and row.things]
    if len(old) != len(new):
        return set()
    for key in old:
        del gone[key]
    return set(new)


def _begun_anew(gone: _Keyed, came: _Keyed) -> _Keyed:
    """Return the former rows of which only the first element was replaced, by the key of the rows
    now; they are taken out of `gone`."""
    now = {ref: key for key, row in came.items() for ref in row.refs}
    found: _Keyed = {}
    for key, row in list(gone.items()):
        same = next((now[ref] for ref in row.refs if ref in now), None)
        if same is not None and same not in found:
            found[same] = gone.pop(key)
    return found


def _changed_part(before: Row, after: Row) -> str:
    """Return the changed things of a row; the whole row if they cannot be distinguished."""
    if len(before.things) != len(after.things) or not after.things:
        return after.text.strip()
    changed = [
        f"{now.ref} {now.words}".strip()
        for then, now in zip(before.things, after.things, strict=True)
        if (then.ref, then.words) != (now.ref, now.words)
    ]
    return ", ".join(changed) or after.text.strip()


def _keyed(rows: Rows) -> _Keyed:
    """Return rows by their keys: the first ref, or else the text."""
    seen = Counter[str]()
    found: _Keyed = {}
    for row in rows.rows:
        key = row.ref or (row.refs[0] if row.refs else row.text.strip())
        seen[key] += 1
        found[key, seen[key]] = row
    return found
