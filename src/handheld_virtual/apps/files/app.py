"""Files: browses and manages the shared storage and the memory card."""

import stat
from datetime import datetime
from typing import NamedTuple

from ...files.entry import SDCARD_RW, User
from ...packages.app import Activity, App
from ...views.drawing import theme
from ...views.layout import Column, Frame, Row
from ...views.view import MATCH, View
from ...views.widgets.basic import IconButton, ProgressBar, Text
from ...views.widgets.parts import Avatar, Empty, List, Toolbar
from .preview import IMAGES, ImagePreview, TextPreview

INTERNAL = "/storage/emulated/0"


class FileRow(NamedTuple):
    path: str
    name: str
    folder: bool
    size: int
    modified: int


class FilesScreen(Activity):
    """A folder. The extra `path` is the first one; without it, the storage volumes are listed."""

    name = ".files.FilesActivity"

    def content(self) -> View:
        self.path = self.extras.get("path", "")
        self.selected: set[str] = set()
        self.bar = Frame(width=MATCH, id="toolbar_frame")
        self.place = Text(
            "",
            size=14,
            color=theme.ON_SURFACE_DIM,
            padding=(20, 0, 20, 8),
            id="breadcrumb",
            width=MATCH,
            most_lines=2,
        )
        self.list = List[FileRow]((), self._row, id="dir_list")
        self.empty = Empty("folder", "No items")
        self.refresh()
        return Column(
            self.bar,
            self.place,
            Frame(self.list, self.empty, width=MATCH, height=0, weight=1),
            background=theme.SURFACE,
        )

    def resumed(self) -> None:
        self.refresh()

    def back(self) -> bool:
        if self.selected:
            self.selected.clear()
        elif self.path:
            self.path = "" if self.path in self.volumes() else self.path.rpartition("/")[0]
        else:
            return False
        self.list.offset = 0
        self.refresh()
        return True

    def go(self, path: str) -> None:
        self.path = path
        self.selected.clear()
        self.list.offset = 0
        self.refresh()

    # Storage

    @property
    def user(self) -> User:
        """The app's user, which may access shared storage."""
        return User(self.world.running.uid(self.app), frozenset((SDCARD_RW,)))

    def volumes(self) -> dict[str, str]:
        """The storage volumes, by path."""
        files = self.world.files
        found = {INTERNAL: "Internal storage"} if files.is_folder(INTERNAL) else {}
        for name in files.list("/storage"):
            if name not in ("emulated", "self"):
                found[f"/storage/{name}"] = f"SD card ({name})"
        return found

    def entries(self) -> list[FileRow]:
        """Return the entries, folders first, then by name, without names that begin with a dot.
        Raises OSError if the folder is gone."""
        files, found = self.world.files, list[FileRow]()
        if not self.path:
            for path, name in self.volumes().items():
                found.append(FileRow(path, name, True, 0, 0))
            return found
        for name in files.list(self.path, self.user):
            if not name.startswith("."):
                path = f"{self.path}/{name}"
                status = files.stat(path, user=self.user)
                folder = stat.S_ISDIR(status.mode)
                found.append(FileRow(path, name, folder, status.size, int(status.mtime)))
        return sorted(found, key=lambda entry: (not entry.folder, entry.name.casefold()))

    def refresh(self) -> None:
        """Read the folder again, because adb may have changed it."""
        words = "No items"
        try:
            entries = self.entries()
        except OSError as fault:
            entries, words = [], f"This folder can’t be shown: {fault.strerror}"
        self.selected &= {entry.path for entry in entries}
        self.empty.words.text = words
        self.list.items = entries
        self.list.shown, self.empty.shown = bool(entries), not entries
        self.place.text = self._breadcrumb()
        self.bar.replace(self._toolbar())

    def _breadcrumb(self) -> str:
        for root, name in self.volumes().items():
            if self.path == root or self.path.startswith(root + "/"):
                return " › ".join(
                    [name, *self.path.removeprefix(root).strip("/").split("/")]
                ).strip(" ›")
        files = self.world.files
        return f"{sized(files.used)} used of {sized(files.capacity)}"

    # Views

    def _toolbar(self) -> View:
        if self.selected:
            delete = IconButton("bin", self._delete, id="action_menu_delete", description="Delete")
            rename = IconButton(
                "edit",
                self._ask_name,
                id="action_menu_rename",
                description="Rename",
                shown=len(self.selected) == 1,
            )
            return Toolbar(f"{len(self.selected)} selected", rename, delete, on_back=self.back)
        refresh = IconButton(
            "refresh", self.refresh, id="option_menu_refresh", description="Refresh"
        )
        if not self.path:
            return Toolbar("Files", refresh)
        new = IconButton(
            "new_folder", self._new_folder, id="option_menu_create_dir", description="New folder"
        )
        name = self.volumes().get(self.path) or self.path.rpartition("/")[2]
        return Toolbar(name, new, refresh, on_back=self.back)

    def _row(self, entry: FileRow) -> View:
        chosen = entry.path in self.selected
        if entry.path in self.volumes():
            return self._volume(entry)
        kind = kind_of(entry)
        icon = Avatar(
            "check" if chosen else {"folder": "folder", "image": "picture"}.get(kind, "file"),
            color=theme.ON_PRIMARY if chosen else theme.ON_PRIMARY_CONTAINER,
            background=theme.PRIMARY if chosen else theme.PRIMARY_CONTAINER,
            id="icon_mime",
        )
        date = datetime.fromtimestamp(entry.modified, self.world.wall.zone)
        details = Row(
            _detail(f"{date:%b} {date.day}, {date:%Y}", "date"),
            _detail("" if entry.folder else sized(entry.size), "size"),
            gap=12,
        )
        row = Row(
            icon,
            Column(
                Text(entry.name, most_lines=1, id="android:id/title", width=MATCH),
                details,
                gap=3,
                weight=1,
                width=0,
            ),
            gap=16,
            padding=(20, 8),
            content_gravity="center left",
            background=theme.PRIMARY_CONTAINER if chosen else None,
            id="item_root",
            on_click=lambda: self._tap(entry),
            on_long_click=lambda: self._select(entry),
        )
        row.selected = chosen
        return row

    def _volume(self, entry: FileRow) -> View:
        files = self.world.files
        return Row(
            Avatar("storage", id="icon_mime"),
            Column(
                Text(entry.name, most_lines=1, id="android:id/title", width=MATCH),
                ProgressBar(files.used / files.capacity, width=MATCH, id="usage"),
                gap=8,
                weight=1,
                width=0,
            ),
            gap=16,
            padding=(20, 8),
            content_gravity="center left",
            id="item_root",
            on_click=lambda: self.go(entry.path),
        )

    # Actions

    def _tap(self, entry: FileRow) -> None:
        if self.selected:
            self._select(entry)
        elif entry.folder:
            self.go(entry.path)
        elif kind_of(entry) == "image":
            self.open(ImagePreview(self.app, {"path": entry.path}))
        else:
            self.open(TextPreview(self.app, {"path": entry.path}))

    def _select(self, entry: FileRow) -> None:
        self.selected ^= {entry.path}
        self.refresh()

    def _delete(self) -> None:
        count = len(self.selected)
        name = next(iter(self.selected)).rpartition("/")[2]
        what = f"“{name}”" if count == 1 else f"{count} items"
        self.ask(
            f"Delete {what}?",
            "This can’t be undone.",
            cancel=lambda: None,
            delete=self._delete_selected,
        )

    def _delete_selected(self) -> None:
        try:
            for path in sorted(self.selected):
                self._remove(path)
        except OSError as fault:
            self._show_error("Couldn’t delete", fault)
        self.selected.clear()
        self.refresh()

    def _remove(self, path: str) -> None:
        """Remove a folder recursively, the deepest entries first."""
        files, user = self.world.files, self.user
        waiting, folders = [path], list[str]()
        while waiting:
            path = waiting.pop()
            if stat.S_ISDIR(files.stat(path, follow=False, user=user).mode):
                folders.append(path)
                waiting += [f"{path}/{name}" for name in files.list(path, user)]
            else:
                files.remove(path, user)
        for folder in reversed(folders):
            files.remove_folder(folder, user)

    def _new_folder(self) -> None:
        self.ask_text("New folder", self._make_folder, hint="Folder name")

    def _make_folder(self, name: str) -> None:
        try:
            self.world.files.make_folder(self._path(name), user=self.user)
        except OSError as fault:
            self._show_error("Couldn’t create folder", fault)
        self.refresh()

    def _ask_name(self) -> None:
        (path,) = self.selected
        self.ask_text("Rename", lambda name: self._rename(path, name), path.rpartition("/")[2])

    def _rename(self, path: str, name: str) -> None:
        files = self.world.files
        try:
            wanted = self._path(name)
            if wanted != path:
                if wanted.rpartition("/")[2] in files.list(self.path, self.user):
                    raise OSError(17, "File exists")
                files.rename(path, wanted, self.user)
        except OSError as fault:
            self._show_error("Couldn’t rename", fault)
        self.selected.clear()
        self.refresh()

    def _path(self, name: str) -> str:
        """Return the path for a new name in this folder. Raises OSError."""
        name = name.strip()
        if not name or name in (".", "..") or "/" in name:
            raise OSError(22, "Invalid name")
        return f"{self.path}/{name}"

    def _show_error(self, title: str, fault: OSError) -> None:
        self.ask(title, fault.strerror or "It failed", ok=lambda: None)


class FilesApp(App):
    package, label = "com.android.documentsui", "Files"
    version, version_code, system = "14", 34, True
    screens = (FilesScreen, TextPreview, ImagePreview)
    icon, color = "folder", (30, 142, 62)


def kind_of(entry: FileRow) -> str:
    if entry.folder:
        return "folder"
    return "image" if entry.name.lower().endswith(IMAGES) else "file"


def sized(size: int) -> str:
    """Format a size as Android does."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 900 or unit == "GB":
            break
        amount /= 1000
    return f"{size} B" if unit == "B" else f"{amount:.2f} {unit}"


def _detail(words: str, id: str) -> Text:
    return Text(words, size=13, color=theme.ON_SURFACE_DIM, id=id, most_lines=1, shown=bool(words))
