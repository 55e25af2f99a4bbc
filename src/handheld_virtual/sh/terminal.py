"""A terminal with echo, line editing, and Ctrl-C."""

import asyncio
from collections import deque

from .process import Input, Output
from .shell import Shell

LINE = 4096
TYPED_AHEAD = 256


class Terminal:
    """A terminal between a client in raw mode and a shell: echo, line editing, line ends."""

    def __init__(self, source: Input, sink: Output) -> None:
        self._source = source
        self._sink = sink
        self._line = bytearray()
        self._typed: deque[bytes] = deque(maxlen=TYPED_AHEAD)
        self._arrived = asyncio.Event()
        self._shell: Shell | None = None
        self._size = (24, 80)

    async def run(self, shell: Shell, command: str) -> int:
        shell.prompting = not command
        self._shell = shell
        self.resize(*self._size)
        typing = asyncio.ensure_future(self._type(shell))
        try:
            return await shell.run(command)
        finally:
            typing.cancel()
            await asyncio.gather(typing, return_exceptions=True)

    def resize(self, rows: int, columns: int) -> None:
        """Resize the window, which sets the shell's `LINES` and `COLUMNS`."""
        self._size = (rows, columns)
        if self._shell is not None:
            self._shell.variables.update(LINES=str(rows), COLUMNS=str(columns))

    async def read(self, limit: int = 65536) -> bytes:
        while not self._typed:
            self._arrived.clear()
            await self._arrived.wait()
        data = self._typed.popleft()
        if len(data) > limit:
            self._typed.appendleft(data[limit:])
        return data[:limit]

    async def write(self, data: bytes) -> None:
        await self._sink.write(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))

    async def _type(self, shell: Shell) -> None:
        try:
            while data := await self._source.read():
                for byte in data:
                    await self._key(byte, shell)
        finally:
            self._enter(b"")

    async def _key(self, byte: int, shell: Shell) -> None:
        if byte in (0x0A, 0x0D):
            await self.write(b"\n")
            self._enter(bytes(self._line) + b"\n")
            self._line.clear()
        elif byte == 0x03:
            self._line.clear()
            await self.write(b"^C\n")
            if not shell.interrupt():
                self._enter(b"\n")
        elif byte == 0x04:
            self._enter(bytes(self._line))
            self._line.clear()
        elif byte in (0x08, 0x7F):
            if self._line:
                text = self._line.decode("utf-8", "replace")[:-1]
                self._line = bytearray(text.encode())
                await self.write(b"\b \b")
        elif byte == 0x15:
            await self.write(b"\b \b" * len(self._line.decode("utf-8", "replace")))
            self._line.clear()
        elif (byte >= 0x20 or byte == 0x09) and len(self._line) < LINE:
            self._line.append(byte)
            await self._sink.write(bytes((byte,)))

    def _enter(self, data: bytes) -> None:
        self._typed.append(data)
        self._arrived.set()
