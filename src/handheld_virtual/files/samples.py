"""Sample files in shared storage and on a memory card."""

import base64

from .entry import ROOT, ROOT_UID, SDCARD_RW
from .tree import FileTree

CARD = "1A2B-3C4D"
SAVED_AT = 1_700_000_000
"""The time when the first file was saved, in seconds since 1970."""
APART_S = 9 * 86_400 + 3 * 3600 + 1234
"""The time between two files."""

_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_DIARY = "".join(f"Day {day}: walked {day * 7 % 13} km.\n" for day in range(1, 501))
_FILES = {
    "/storage/emulated/0/Download/readme.txt": b"First line of the file\nSecond line of the file\n",
    "/storage/emulated/0/Download/prices.csv": b"item,price\r\nmilk,1.20\r\nbread,2.50\r\n",
    "/storage/emulated/0/Download/notes/todo.txt": b"Buy groceries\nWalk the dog",
    "/storage/emulated/0/Documents/diary.txt": _DIARY.encode(),
    "/storage/emulated/0/Documents/Grüße 👋.txt": "Schöne Grüße aus Köln 👋\n".encode(),
    "/storage/emulated/0/Pictures/pixel.png": _PIXEL,
    f"/storage/{CARD}/Backup/contacts.vcf": b"BEGIN:VCARD\r\nFN:Ada\r\nEND:VCARD\r\n",
}


def furnish_samples(tree: FileTree) -> None:
    tree.furnish(f"/storage/{CARD}", 0o771, ROOT_UID, SDCARD_RW, shared=True, read_only=False)
    for number, (path, content) in enumerate(_FILES.items()):
        tree.make_folder(path.rpartition("/")[0], parents=True, user=ROOT)
        tree.write(path, content, user=ROOT)
        tree.set_time(path, SAVED_AT + number * APART_S, user=ROOT)
