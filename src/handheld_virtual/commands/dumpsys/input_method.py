"""`dumpsys input_method`: the keyboard in use and whether it is shown."""

from ...input.keyboard import PACKAGE
from ...system.identity import identity
from ..call import CommandCall
from .records import Records, flag

DEFAULT = f"{PACKAGE}/.LatinIME"


async def input_method(call: CommandCall) -> None:
    world = call.phone.world
    records = Records(world)
    method = world.preferences.get("secure", "default_input_method") or DEFAULT
    shown = world.input_method.window is not None
    field = world.input_method.field
    focused = records.focused
    package = focused.package if focused is not None else PACKAGE
    pids = world.running.pids(package)
    lines = [
        "Current Input Method Manager state:",
        "  Input Methods: mMethodMapUpdateCount=1",
        f"  InputMethod #0:\n    mId={method} mSettingsActivityName=null",
        "  Clients:",
        f"  Client {identity('client', package)}:",
        f"    uid={records.uid(package)} pid={pids[0] if pids else 0}",
        f"  mCurMethodId={method}",
        f"  mCurClient=ClientState{{{identity('client', package)} uid={records.uid(package)} "
        f"pid={pids[0] if pids else 0}}} mCurSeq=1",
        f"  mCurFocusedWindow={records.window(focused)}",
        f"  mCurId={method} mHaveConnection=true mBoundToMethod=true"
        + (f" mVisibleBound={flag(shown)}" if world.android.ime_interactive else ""),
    ]
    if world.android.ime_requested:
        lines += [
            f"  mRequestedShowExplicitly={flag(shown)} mShowForced=false",
            "  mImeHiddenByDisplayPolicy=false",
            f"  mInputShown={flag(shown)}",
        ]
    else:
        lines.append(
            f"  mShowRequested={flag(shown)} mShowExplicitlyRequested={flag(shown)} "
            f"mShowForced=false mInputShown={flag(shown)}"
        )
    lines += [
        "  mInFullscreenMode=false",
        "  mSystemReady=true "
        + (
            f"mInteractive={flag(world.awake)}"
            if world.android.ime_interactive
            else f"mScreenOn={flag(world.awake)}"
        ),
        "",
        "Input method client state for " + f"{identity('client', package)}:",
        f"  mServedView={_view(records) if field is not None else 'null'}",
        "",
        f"Input method service state for {method}:",
        f"  mWindowVisible={flag(shown)} mDecorViewVisible={flag(shown)}",
        f"  mShowInputRequested={flag(shown)}",
        f"  mIsFullscreen=false mIsInputViewShown={flag(shown)}",
        f"  mInputStarted={flag(field is not None)} mInputViewStarted={flag(shown)}",
    ]
    await call.write("\n".join(lines) + "\n")


def _view(records: Records) -> str:
    field = records.world.input_method.field
    assert field is not None
    left, top, right, bottom = field.place
    name = f" app:id/{field.id.rpartition('/')[2]}" if field.id else ""
    number = identity("view", field.key)
    return f"{field.class_name}{{{number} VFED..CL. .F...... {left},{top}-{right},{bottom}{name}}}"
