"""The virtual phone's file tree."""

import errno
import stat
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from handheld_virtual.files.android import furnish_android
from handheld_virtual.files.entry import ROOT, Status
from handheld_virtual.files.tree import ENTRY_COST, FileTree

HOME = "/data/local/tmp"


@pytest.fixture
def files() -> FileTree:
    tree = FileTree(lambda: 1000.0)
    furnish_android(tree)
    return tree


Act = Callable[[FileTree], Any]

REFUSED: list[tuple[str, Act, int]] = [
    ("write to /system", lambda f: f.write("/system/x", b""), errno.EROFS),
    ("write to /", lambda f: f.write("/x", b""), errno.EROFS),
    ("write to an app's data", lambda f: f.write("/data/data/x", b""), errno.EACCES),
    ("list an app's data", lambda f: f.list("/data/data"), errno.EACCES),
    ("remove a system folder", lambda f: f.remove_folder("/system/framework"), errno.EROFS),
    ("rename into /system", lambda f: f.rename(f"{HOME}/a", "/system/a"), errno.EROFS),
    ("chmod another's", lambda f: f.chmod("/data/local", 0o777), errno.EPERM),
    ("chmod in /system", lambda f: f.chmod("/system/bin", 0o777), errno.EROFS),
    ("read what is not there", lambda f: f.read(f"{HOME}/none"), errno.ENOENT),
    ("read through a file", lambda f: f.read(f"{HOME}/a/b"), errno.ENOTDIR),
    ("a file with a slash", lambda f: f.read(f"{HOME}/a/"), errno.ENOTDIR),
    ("list a file", lambda f: f.list(f"{HOME}/a"), errno.ENOTDIR),
    ("write a folder", lambda f: f.write(HOME, b""), errno.EISDIR),
    ("read a folder", lambda f: f.read(HOME), errno.EISDIR),
    ("write the root", lambda f: f.write("/", b""), errno.EISDIR),
    ("remove a folder as a file", lambda f: f.remove(HOME), errno.EISDIR),
    ("remove a file as a folder", lambda f: f.remove_folder(f"{HOME}/a"), errno.ENOTDIR),
    ("remove the root", lambda f: f.remove_folder("/"), errno.EBUSY),
    ("make a folder twice", lambda f: f.make_folder(HOME), errno.EEXIST),
    ("make a folder over a file", lambda f: f.make_folder(f"{HOME}/a"), errno.EEXIST),
    ("make a folder in none", lambda f: f.make_folder(f"{HOME}/x/y"), errno.ENOENT),
    ("a name too long", lambda f: f.write(f"{HOME}/{'x' * 256}", b""), errno.ENAMETOOLONG),
    ("a path too long", lambda f: f.read("/" + "x/" * 3000), errno.ENAMETOOLONG),
    ("a zero byte", lambda f: f.read("/a\0b"), errno.EINVAL),
    ("no path", lambda f: f.read(""), errno.ENOENT),
    ("a link in shared storage", lambda f: f.link("/", "/sdcard/l"), errno.EPERM),
    ("a link to nothing", lambda f: f.link("", f"{HOME}/l"), errno.ENOENT),
    ("move between mounts", lambda f: f.rename(f"{HOME}/a", "/sdcard/a"), errno.EXDEV),
    ("read_link of a file", lambda f: f.read_link(f"{HOME}/a"), errno.EINVAL),
]


@pytest.mark.parametrize(
    ("act", "number"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_forbidden_operations_fail_with_linuxs_errno(files: FileTree, act: Act, number: int):
    files.write(f"{HOME}/a", b"a")
    used = files.used
    with pytest.raises(OSError) as problem:  # noqa: PT011 - the errno is compared
        act(files)
    assert problem.value.errno == number
    assert files.used == used


def test_sdcard_leads_to_shared_storage(files: FileTree):
    files.write("/sdcard/Download/x", b"hello")
    assert files.read("/storage/emulated/0/Download/x") == b"hello"
    assert files.read("/storage/self/primary/Download/../Download/./x") == b"hello"
    assert stat.S_ISLNK(files.stat("/sdcard", follow=False).mode)
    assert stat.S_ISDIR(files.stat("/sdcard/", follow=False).mode)


def test_shared_storage_decides_owner_and_mode_itself(files: FileTree):
    files.write("/sdcard/x", b"hello", 0o777)
    files.chmod("/sdcard/x", 0o600)
    status = files.stat("/sdcard/x")
    assert status == Status(stat.S_IFREG | 0o660, 5, 1000, status.ino, 0, 1015, 1)


def test_the_shells_files_are_its_own(files: FileTree):
    files.write(f"{HOME}/x", b"hello")
    files.chmod(f"{HOME}/x", 0o600)
    files.set_time(f"{HOME}/x", 77)
    status = files.stat(f"{HOME}/x")
    assert status == Status(stat.S_IFREG | 0o600, 5, 77, status.ino, 2000, 2000, 1)


def test_circular_links_are_detected(files: FileTree):
    files.link("b", f"{HOME}/a")
    files.link("a", f"{HOME}/b")
    with pytest.raises(OSError, match="Too many levels") as problem:
        files.read(f"{HOME}/a")
    assert problem.value.errno == errno.ELOOP


def test_a_folder_cannot_move_into_itself(files: FileTree):
    files.make_folder(f"{HOME}/a/b/c", parents=True)
    with pytest.raises(OSError, match="Invalid argument"):
        files.rename(f"{HOME}/a", f"{HOME}/a/b/c/a")


def test_rename_replaces_a_file_in_one_step(files: FileTree):
    files.write(f"{HOME}/a", b"new")
    files.write(f"{HOME}/b", b"old one")
    used = files.used
    files.rename(f"{HOME}/a", f"{HOME}/b")
    assert files.list(HOME) == ["b"]
    assert files.read(f"{HOME}/b") == b"new"
    assert files.used == used - ENTRY_COST - len(b"old one")


def test_full_tree_rejects_writes_and_keeps_its_content(files: FileTree):
    files.capacity = files.used + ENTRY_COST + 10
    with files.create(f"{HOME}/a") as file:
        file.write(b"12345678")
        with pytest.raises(OSError, match="No space left"):
            file.write(b"901")
    assert files.read(f"{HOME}/a") == b"12345678"
    with pytest.raises(OSError, match="No space left"):
        files.make_folder(f"{HOME}/d")
    files.remove(f"{HOME}/a")
    files.write(f"{HOME}/b", b"0123456789")


def test_removed_file_frees_its_space_when_it_is_closed(files: FileTree):
    used = files.used
    files.write(f"{HOME}/a", b"12345678")
    with files.open(f"{HOME}/a") as file:
        files.remove(f"{HOME}/a")
        assert files.used == used + 8
        assert file.read() == b"12345678"
    assert files.used == used


def test_names_need_not_be_utf8(files: FileTree):
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    files.write(f"{HOME}/{name}", b"x")
    assert files.list(HOME) == [name]


def test_dev_null_discards_writes_and_reads_empty(files: FileTree):
    used = files.used
    files.write("/dev/null", b"x" * 1000)
    assert files.read("/dev/null") == b""
    assert files.used == used


names = st.sampled_from(["a", "b", "c"])
places = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/".join((HOME, *parts)))


class TreeMachine(RuleBasedStateMachine):
    """Compares the tree with a dictionary that maps a path to bytes, or to None for a folder."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = FileTree(lambda: 0.0)
        furnish_android(self.tree)
        self.furnished = self.tree.used
        self.model: dict[str, bytes | None] = {HOME: None}

    def try_to(self, act: Callable[[], object], allowed: bool) -> bool:
        try:
            act()
        except OSError:
            assert not allowed
            return False
        assert allowed
        return True

    def folder_of(self, path: str) -> bool:
        parent = path.rpartition("/")[0]
        return parent in self.model and self.model[parent] is None

    def inside(self, path: str) -> list[str]:
        return [other for other in self.model if other.startswith(path + "/")]

    @rule(path=places, data=st.binary(max_size=20), append=st.booleans())
    def write(self, path: str, data: bytes, append: bool) -> None:
        old = self.model.get(path, b"")
        allowed = self.folder_of(path) and old is not None
        if self.try_to(lambda: self.tree.write(path, data, append=append), allowed):
            assert old is not None
            self.model[path] = old + data if append else data

    @rule(path=places)
    def make_folder(self, path: str) -> None:
        allowed = self.folder_of(path) and path not in self.model
        if self.try_to(lambda: self.tree.make_folder(path), allowed):
            self.model[path] = None

    @rule(path=places)
    def remove(self, path: str) -> None:
        if self.try_to(lambda: self.tree.remove(path), self.model.get(path) is not None):
            del self.model[path]

    @rule(path=places)
    def remove_folder(self, path: str) -> None:
        allowed = path in self.model and self.model[path] is None and not self.inside(path)
        if self.try_to(lambda: self.tree.remove_folder(path), allowed):
            del self.model[path]

    @rule(old=places, new=places)
    def rename(self, old: str, new: str) -> None:
        fits = old in self.model and self.folder_of(new) and not new.startswith(old + "/")
        if fits and new in self.model and new != old:
            both_files = self.model[old] is not None and self.model[new] is not None
            both_folders = self.model[old] is None and self.model[new] is None
            fits = both_files or (both_folders and not self.inside(new))
        if self.try_to(lambda: self.tree.rename(old, new), fits) and old != new:
            self.model.pop(new, None)
            for path in [old, *self.inside(old)]:
                self.model[new + path[len(old) :]] = self.model.pop(path)

    @invariant()
    def tree_and_model_agree(self) -> None:
        found: dict[str, bytes | None] = {HOME: None}
        waiting = [HOME]
        while waiting:
            folder = waiting.pop()
            for name in self.tree.list(folder):
                path = f"{folder}/{name}"
                if self.tree.is_folder(path):
                    found[path] = None
                    waiting.append(path)
                else:
                    found[path] = self.tree.read(path)
        assert found == self.model
        contents = sum(len(data) for data in found.values() if data is not None)
        assert self.tree.used == self.furnished + contents + ENTRY_COST * (len(found) - 1)


TestTheTreeIsAPlainDictionary = TreeMachine.TestCase
TestTheTreeIsAPlainDictionary.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None
)


def test_root_may_do_what_the_shell_may_not(files: FileTree):
    files.write("/system/x", b"", user=ROOT)
    assert files.exists("/system/x")
