"""The common base of `Phone` and `AsyncPhone`: the ways to get a phone."""

import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import InvalidParams
from ..tools.listing import Image, Item
from .loop_thread import LoopThread
from .screen import Picture, Screen, read_screen
from .session import Session

if TYPE_CHECKING:
    from handheld_virtual import PhoneThread
    from handheld_virtual.toolkit import App

    from .connections import PhoneConnection
    from .tracing import Trace


class Handle:
    """A phone that is opened at its first use, and stays open until it is closed."""

    _session: Session
    _virtual: "PhoneThread | None" = None
    _finalizer: "weakref.finalize[..., Handle] | None" = None

    def __init__(self, phone: str | None = None) -> None:
        """Use a phone as the command line does: through the process that has it, such as a running
        `handheld serve`, or directly. The settings, rules and record of this user hold.

        Args:
            phone: a serial, HOST:PORT of an adbd, or `virtual` for a virtual phone in a process of
                its own; without it the one in the settings, else the only one that adb has
        """

        async def connect() -> "PhoneConnection":
            from .connections import connect_chosen

            return await connect_chosen(phone)

        self._use(Session(phone or "of the settings", LoopThread("handheld"), connect))

    @classmethod
    def virtual(
        cls,
        scene: "str | Path" = "default",
        *,
        api: int | None = None,
        apps: "Iterable[type[App]]" = (),
    ) -> Self:
        """Use a new virtual phone in this process. Its time passes only while methods run, and as
        fast as the machine can: nothing is waited for.

        Args:
            scene: what is on it: the name of a scene, or a TOML file
            api: the API level of its Android, 26 to 37
            apps: apps for virtual phones to install, as docs/virtual-apps.md describes them
        """
        from handheld_virtual import ManualClock, PhoneThread, SceneError
        from handheld_virtual.toolkit import BadApp

        try:
            virtual = PhoneThread(scene, api=api, clock=ManualClock())
            for app in apps:
                virtual.phone.install(app)
        except (SceneError, BadApp, ValueError) as problem:
            raise InvalidParams(str(problem)) from None
        return cls.on(virtual, runs=False)

    @classmethod
    def on(cls, virtual: "PhoneThread", *, runs: bool = True, trace: "Trace | None" = None) -> Self:
        """Use a virtual phone of this process.

        Args:
            virtual: the phone, such as that of the pytest fixture `virtual_phone`
            runs: whether it runs already; else it is started and closed with this
            trace: where the calls are noted
        """

        async def connect() -> "PhoneConnection":
            from .connections import connect_virtual

            return await connect_virtual(virtual, recorded=trace is not None)

        self = cls.__new__(cls)
        self._virtual = virtual
        self._use(Session("virtual", virtual, connect, runs=runs, trace=trace))
        return self

    @classmethod
    def remote(
        cls, url: str, token: str = "", *, phone: str | None = None, cert: "str | Path" = ""
    ) -> Self:
        """Use a phone of a running server, with the tools that the token allows.

        Args:
            url: the address of the server, such as http://127.0.0.1:8080, or of one of its phones
            token: as `handheld token show` prints it
            phone: which one, where there are several: its slug or serial
            cert: for https, the PEM file of the server's certificate, such as one that it has made
                itself, or of the authority that signed it; else those that the system trusts count
        """
        from .connections import check_certificate, read_token, split_url

        split_url(url)
        token = read_token(token)
        if cert:
            check_certificate(str(cert))

        async def connect() -> "PhoneConnection":
            from .connections import connect_server

            return await connect_server(url, token, phone, str(cert))

        self = cls.__new__(cls)
        self._use(Session(phone or url, LoopThread("handheld"), connect))
        return self

    @property
    def virtual_phone(self) -> "PhoneThread | None":
        """The virtual phone in this process, to inspect and change; None for any other."""
        return self._virtual

    def _use(self, session: Session) -> None:
        self._session = session
        self._finalizer = weakref.finalize(self, session.abandon)

    def _share(self, other: "Handle") -> None:
        """Use the other's phone. The other closes it."""
        self._session, self._virtual = other._session, other._virtual

    def _end(self) -> None:
        self._session.close()
        if self._finalizer is not None:
            self._finalizer.detach()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._session.name}>"


def trace_calls(phone: Handle, trace: "Trace | None") -> None:
    """From now on, note this phone's calls there."""
    phone._session.trace = trace  # pyright: ignore[reportPrivateUsage]


def ask(phone: Handle, verb: str, arguments: Mapping[str, Any], seconds: float) -> list[str]:
    """Return the texts of a reply, without noting the call. Raises ToolError and TimeoutError."""

    async def work(connection: "PhoneConnection") -> Sequence[Item]:
        return await connection.do(verb, arguments)

    items = phone._session.wait(work, seconds)  # pyright: ignore[reportPrivateUsage]
    return [item for item in items if isinstance(item, str)]


def restore_settings(phone: Handle) -> str:
    """Restore the settings changed on a phone of this process. Raises ToolError."""

    async def restore(connection: "PhoneConnection") -> str:
        return await connection.restore()

    return phone._session.wait(restore)  # pyright: ignore[reportPrivateUsage]


def text_of(items: Sequence[Item]) -> str:
    return "\n".join(item for item in items if isinstance(item, str))


def screen_of(items: Sequence[Item]) -> Screen:
    pictures = (Picture(each.data, each.mime_type) for each in items if isinstance(each, Image))
    return read_screen(text_of(items), next(pictures, None))


def parts_of(items: Sequence[Item]) -> list[str | Picture]:
    return [
        Picture(item.data, item.mime_type) if isinstance(item, Image) else item for item in items
    ]
