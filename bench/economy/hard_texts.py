"""Texts that take many tokens for their length: the bound on tokens is checked against them.

They are made of all scripts, of rare letters side by side, and of tokens that end inside a
character, so that a tokenizer joins across characters. Those that come nearest to the bound are
kept, with their counts.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from handheld.screen.rows.token_bound import most_tokens

from .bounds import read_vocabulary
from .tokens import ROOT, count

KEPT = ROOT / "tests" / "fixtures" / "hard_texts.json"
MADE, NEAREST, SHORTEST = 2_500, 40, 6
"""Of each kind: how many are made and kept, and how long they are at least."""
_RARE = "qzxjvkwQZXJVKWbgyY '\""
_DIGITS = "0123456789²³٣१ '\"sltdmrev\n /|,"
_SCRIPTS = (
    *((0x80, 0x250), (0x370, 0x530), (0x530, 0x700), (0x900, 0x1100), (0x1780, 0x1800)),
    *((0x1E00, 0x2000), (0x2000, 0x2800), (0x3000, 0x3200), (0x4E00, 0xA000), (0xAC00, 0xD7A4)),
    *((0xF900, 0xFFFF), (0x1F000, 0x1FB00), (0x80, 0xD800), (0x10000, 0x30000)),
)


def recount(path: Path = KEPT) -> None:
    """Count, and keep what is nearest to the bound. Raises RuntimeError."""
    random = Random(7)  # the same texts every time
    kept: dict[str, int] = {}
    for make in _makers(random, sorted(read_vocabulary())):
        texts = sorted({text for _ in range(MADE) if len(text := make()) >= SHORTEST})
        counts = dict(zip(texts, count(texts), strict=True))
        texts.sort(key=lambda text: most_tokens(text) / counts[text])
        kept |= {text: counts[text] for text in texts[:NEAREST]}
    lines = [json.dumps(each) for each in sorted(kept.items())]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _makers(random: Random, vocabulary: list[bytes]) -> list[Callable[[], str]]:
    tokens = [text for token in vocabulary if (text := token.decode(errors="ignore"))]
    foreign = [token for token in tokens if not token.isascii()]
    broken = [token for token in vocabulary if not _is_whole(token)]
    ascii_characters = [*map(chr, range(32, 127)), "\n"]

    def times(most: int) -> range:
        return range(random.randint(1, most))

    def script() -> str:
        first, last = random.choice(_SCRIPTS)
        return chr(random.randrange(first, last))

    def one_script() -> str:
        first, last = random.choice(_SCRIPTS)
        return "".join(chr(random.randrange(first, last)) for _ in times(20))

    return [
        lambda: "".join(random.choice(ascii_characters) for _ in times(30)),
        lambda: "".join(random.choice(_RARE) for _ in times(30)),
        lambda: "".join(random.choice(_DIGITS) for _ in times(30)),
        one_script,
        lambda: "".join(random.choice((script(), random.choice(_RARE))) for _ in times(20)),
        lambda: "".join(_complete(random, random.choice(broken)) for _ in times(6)),
        lambda: "".join(random.choice(foreign) for _ in times(6)),
        lambda: "".join(
            random.choice((_complete(random, random.choice(broken)), script())) for _ in times(8)
        ),
    ]


def _is_whole(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def _complete(random: Random, token: bytes) -> str:
    """Return a text with a token that begins or ends inside a character."""
    missing = next((at for at, byte in enumerate(token) if not 0x80 <= byte < 0xC0), len(token))
    starts = {0: [b""], 1: [b"\xd0", b"\xe1\x83", b"\xe5\xbd"], 2: [b"\xe5", b"\xeb"], 3: [b"\xf0"]}
    data = random.choice(starts.get(missing, [b""])) + token
    while data and not _is_whole(data) and len(data) < len(token) + 6:
        data += bytes([random.randrange(0x80, 0xC0)])
    return data.decode(errors="ignore") or "x"
