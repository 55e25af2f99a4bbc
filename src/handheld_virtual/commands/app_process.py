"""`app_process`: runs a Java program from the shell."""

from handheld.helper.protocol import MAIN_CLASS

from .call import CommandCall, refuse


async def app_process(call: CommandCall) -> None:
    """Start Handheld's helper from a pushed jar. No other class exists here."""
    from ..reference_helper.program import run

    process = call.process
    words = [word for word in call.arguments if not word.startswith("-")]
    name = words[1] if len(words) > 1 else ""
    if process.phone.faults.helper_is_refused:
        await refuse(call, "/system/bin/sh: app_process: can't execute: Permission denied", 126)
        return
    paths = [path for path in process.environment.get("CLASSPATH", "").split(":") if path]
    readable = [path for path in paths if call.files.may(call.path(path), 4)]
    if not name:
        await refuse(call, "Error: no class name or --zygote supplied.", 10)
        return
    if name != MAIN_CLASS or not readable:
        await refuse(
            call,
            f'java.lang.ClassNotFoundException: Didn\'t find class "{name}" on path: '
            f"DexPathList[[{', '.join(paths)}]]",
            1,
        )
        return
    call.code = await run(process)
