"""The folders of every Android."""

from .entry import ROOT, ROOT_UID, SDCARD_RW, SHELL_UID, SYSTEM_UID
from .tree import FileTree


def furnish_android(tree: FileTree) -> None:
    for path in ("/system", "/system/bin", "/system/framework", "/vendor", "/product", "/apex"):
        tree.furnish(path, 0o755, read_only=True)
    for path in ("/dev", "/mnt", "/proc", "/storage"):
        tree.furnish(path, 0o755, read_only=True)
    tree.furnish("/data", 0o771, SYSTEM_UID, SYSTEM_UID)
    for path in ("/data/app", "/data/data", "/data/system"):
        tree.furnish(path, 0o771, SYSTEM_UID, SYSTEM_UID)
    tree.furnish("/data/local", 0o751)
    tree.furnish("/data/local/tmp", 0o771, SHELL_UID, SHELL_UID)
    tree.furnish("/storage/emulated", 0o711, ROOT_UID, SDCARD_RW, read_only=False)
    tree.furnish("/storage/emulated/0", 0o771, ROOT_UID, SDCARD_RW, shared=True, read_only=False)
    for name in (
        "Alarms",
        "Android",
        "Audiobooks",
        "DCIM",
        "Documents",
        "Download",
        "Movies",
        "Music",
        "Notifications",
        "Pictures",
        "Podcasts",
        "Recordings",
        "Ringtones",
    ):
        tree.make_folder(f"/storage/emulated/0/{name}", user=ROOT)
    tree.furnish("/storage/self", 0o755, read_only=True)
    tree.link("/storage/emulated/0", "/storage/self/primary", ROOT)
    tree.link("/storage/self/primary", "/sdcard", ROOT)
    tree.link("/system/bin", "/bin", ROOT)
    tree.furnish_device("/dev/null")
    tree.furnish("/", 0o755, read_only=True)
