"""The program that `app_process` runs on a virtual phone for the helper's class."""

import hashlib

from handheld.helper.protocol import Claim

from ..sh.process import Process
from .protocol.holder_lock import HolderLock
from .protocol.session import HelperSession


async def run(process: Process) -> int:
    """Serve one host on the process's standard streams; return the exit code."""
    phone = process.phone
    path = process.environment.get("CLASSPATH", "")
    try:
        build = hashlib.sha256(phone.files.read(path)).hexdigest()[:16]
    except OSError as problem:
        await process.stderr.write(f"Could not open {path!r}: {problem.strerror}\n".encode())
        return 1
    words = dict(word.split("=", 1) for word in process.arguments if "=" in word)
    pid = words.get("pid", "")
    holder = {
        "host": words.get("host", ""),
        "pid": int(pid) if pid.isdecimal() else 0,
        "client": words.get("client", ""),
    }
    try:
        claim = Claim.read(words["claim"]) if "claim" in words else None
    except ValueError:
        await process.stderr.write(b"The claim cannot be read.\n")
        return 1
    session = HelperSession(
        phone.world,
        process.stdin,
        process.stdout,
        build=build,
        holder=holder,
        lock=HolderLock(phone.files, phone.world.clock),
        claim=claim,
    )
    try:
        return await session.run()
    except OSError as problem:
        await process.stderr.write(f"{problem}\n".encode())
        return 1
