"""`dumpsys window`: the windows, the focus, and the lock screen."""

from ...system.identity import identity
from ...views.window import Window
from ..call import CommandCall
from .records import RULE, Records, box, flag

_TYPES = {
    "StatusBar": "STATUS_BAR",
    "NavigationBar0": "NAVIGATION_BAR",
    "NavigationBar": "NAVIGATION_BAR",
    "NotificationShade": "NOTIFICATION_SHADE",
    "InputMethod": "INPUT_METHOD",
    "DockedStackDivider": "DOCK_DIVIDER",
}
_USAGE = """\
Window manager dump options:
  [-a] [-h] [cmd] ...
  cmd may be one of:
    l[astanr]: last ANR information
    p[olicy]: policy state
    a[nimator]: animator state
    s[essions]: active sessions
    d[isplays]: active display contents
    t[okens]: token list
    w[indows]: window list
    visible: visible windows
    "NAME": windows by title
  -a: include all available server state.
"""


async def window(call: CommandCall) -> None:
    words = call.arguments
    records = Records(call.phone.world)
    words = [word for word in words if word != "-a"]
    if words and words[0].startswith("-"):
        known = words[0] == "-h"
        await call.write(_USAGE if known else f"Unknown argument: {words[0]}; use -h for help\n")
        return
    if not words:
        parts = [
            _last_anr(),
            _policy(records),
            _animator(),
            _sessions(records),
            _displays(records),
            _tokens(records),
            _windows(records),
        ]
        await call.write(f"\n{RULE}\n".join("\n".join(part) + "\n" for part in parts))
        return
    match words[0]:
        case "l" | "lastanr":
            lines = _last_anr()
        case "p" | "policy":
            lines = _policy(records)
        case "a" | "animator":
            lines = _animator()
        case "s" | "sessions":
            lines = _sessions(records)
        case "d" | "displays":
            lines = _displays(records)
        case "t" | "tokens":
            lines = _tokens(records)
        case "w" | "windows":
            lines = _windows(records)
        case "visible":
            lines = _windows(records, records.shown)
        case name:
            found = [window for window in records.windows() if name in records.title(window)]
            if not found:
                await call.write(
                    f"Bad window command, or no windows match: {name}\nUse -h for help.\n"
                )
                return
            lines = _windows(records, found)
    await call.write("\n".join(lines) + "\n")


def _last_anr() -> list[str]:
    return [
        "WINDOW MANAGER LAST ANR (dumpsys window lastanr)",
        "  <no ANR has occurred since boot>",
    ]


def _policy(records: Records) -> list[str]:
    world, android = records.world, records.android
    locked, awake = flag(world.locked), flag(world.awake)
    mode = 0 if world.display.auto_rotate else 1
    fixed = world.preferences.number("system", "user_rotation", 0)
    lines = [
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)",
        "    mSafeMode=false mSystemReady=true mSystemBooted=true",
        "    mCameraLensCoverState=CAMERA_LENS_COVER_ABSENT",
    ]
    if not android.display_policy:
        lines += [
            f"    mUserRotationMode={mode} mUserRotation={fixed} mAllowAllRotations=0",
            "    mCurrentAppOrientation=-1",
        ]
    lines += [
        f"    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}",
        "    mKeyguardDrawComplete=true mWindowManagerDrawComplete=true",
    ]
    if not android.policy_without_bars:
        lines += [
            f"    mShowingLockscreen={locked} mShowingDream=false mDreamingLockscreen={locked} "
            "mDreamingSleepToken=null",
            f"    mStatusBar={_named(records, 'StatusBar')} isStatusBarKeyguard={locked}",
            f"    mNavigationBar={_named(records, 'NavigationBar')}",
        ]
    lines += [
        "    mKeyguardOccluded=false mKeyguardOccludedChanged=false mPendingKeyguardOccluded=false",
        "    mAllowLockscreenWhenOnDisplays=[] mLockScreenTimeout=0 mLockScreenTimerActive=false",
        "    KeyguardServiceDelegate",
        f"      showing={locked}",
        f"      showingAndNotOccluded={locked}",
        "      inputRestricted=" + locked,
        "      occluded=false",
        f"      secure={flag(world.keyguard.kind == 'pin')}",
        "      dreaming=false",
        "      systemIsReady=true",
        f"      deviceHasKeyguard={flag(world.keyguard.kind != 'none')}",
        "      enabled=true",
        "      offReason=OFF_BECAUSE_OF_USER",
        "      currentUser=0",
        "      bootCompleted=true",
        f"      screenState={'SCREEN_STATE_ON' if world.awake else 'SCREEN_STATE_OFF'}",
        f"      interactiveState=INTERACTIVE_STATE_{'AWAKE' if world.awake else 'SLEEP'}",
        "      KeyguardStateMonitor",
        f"        mIsShowing={locked}",
        "        mSimSecure=false",
        f"        mInputRestricted={locked}",
        "        mTrusted=false",
        "        mCurrentUserId=0",
    ]
    return lines


def _named(records: Records, start: str) -> str:
    found = (window for window in records.shown if records.title(window).startswith(start))
    return records.window(next(found, None))


def _animator() -> list[str]:
    return ["WINDOW MANAGER ANIMATOR STATE (dumpsys window animator)", "    mAnimator:"]


def _sessions(records: Records) -> list[str]:
    packages = dict.fromkeys(window.package for window in records.windows())
    lines = ["WINDOW MANAGER SESSIONS (dumpsys window sessions)"]
    return lines + [f"  Session {_session(records, package)}:" for package in packages]


def _session(records: Records, package: str) -> str:
    uid = records.uid(package)
    owner = f"u0a{uid}" if uid >= 10_000 else str(uid)
    return f"Session{{{identity('session', package)} {records.pid(package)}:{owner}}}"


def _tokens(records: Records) -> list[str]:
    lines = ["WINDOW MANAGER TOKENS (dumpsys window tokens)", "  All tokens:"]
    for task in reversed(records.tasks):
        lines += [
            f"  {records.app_token(activity, task)}" for activity in reversed(task.activities)
        ]
    return lines


def _displays(records: Records) -> list[str]:
    world, android = records.world, records.android
    width, height = world.width, world.height
    natural = (height, width) if world.rotation % 2 else (width, height)
    left, top, right, bottom = records.app_box
    small, large = min(right - left, bottom - top), max(right - left, bottom - top)
    least = " mMinSizeOfResizeableTaskDp=220" if android.display_min_task_size else ""
    base = f" base={natural[0]}x{natural[1]} {world.density}dpi" if _overridden(records) else ""
    physical = world.physical
    lines = [
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)",
        "  Display: mDisplayId=0" + (" (organized)" if android.display_organized else ""),
        f"    init={physical[0]}x{physical[1]} {physical[2]}dpi{least}{base} cur={width}x{height} "
        f"app={right - left}x{bottom - top} rng={small}x{small}-{large}x{large}",
        "    deferred=false mLayoutNeeded=false "
        f"mTouchExcludeRegion=SkRegion((0,0,{width},{height}))",
        "",
    ]
    if android.display_focus:
        lines += [
            f"  mCurrentFocus={records.window(records.focused)}",
            f"  mFocusedApp={records.front_token}",
            "",
        ]
    lines += [
        "  mHoldScreenWindow=null",
        f"  mObscuringWindow={records.window(records.shown[-1])}",
        "",
        f"  DisplayFrames w={width} h={height} r={world.rotation}",
        "",
        "  DisplayPolicy",
    ]
    if android.display_policy:
        lines += [
            f"    mAwake={flag(world.awake)} mScreenOnEarly={flag(world.awake)} "
            f"mScreenOnFully={flag(world.awake)}",
            "    mKeyguardDrawComplete=true mWindowManagerDrawComplete=true",
            f"    mShowingDream=false mDreamingLockscreen={flag(world.locked)}",
            f"    mStatusBar={_named(records, 'StatusBar')}",
            f"    isKeyguardShowing={flag(world.locked)}",
            f"    mNavigationBar={_named(records, 'NavigationBar')}",
        ]
    fixed = world.preferences.number("system", "user_rotation", 0)
    mode = "USER_ROTATION_FREE" if world.display.auto_rotate else "USER_ROTATION_LOCKED"
    orientation = "SCREEN_ORIENTATION_UNSPECIFIED" if android.display_policy else "-1"
    lines += [
        "",
        "  DisplayRotation",
        f"    mCurrentAppOrientation={orientation}",
        "    mLastOrientation=-1",
        f"    mRotation={world.rotation} mDeferredRotationPauseCount=0",
        "    mLandscapeRotation=ROTATION_90 mSeascapeRotation=ROTATION_270",
        "    mPortraitRotation=ROTATION_0 mUpsideDownRotation=ROTATION_180",
        f"    mUserRotationMode={mode} mUserRotation=ROTATION_{fixed * 90}",
    ]
    shown = world.input_method.window
    if android.display_insets:
        lines += [
            "",
            "  WindowInsetsStateController",
            "    InsetsSourceProviders:",
            "      ImeInsetsSourceProvider",
            f"        mImeShowing={flag(shown)}",
        ]
    return lines


def _overridden(records: Records) -> bool:
    world = records.world
    size = (world.height, world.width) if world.rotation % 2 else (world.width, world.height)
    return (*size, world.density) != world.physical


def _windows(records: Records, chosen: list[Window] | None = None) -> list[str]:
    lines = ["WINDOW MANAGER WINDOWS (dumpsys window windows)"]
    for number, window in enumerate(records.windows() if chosen is None else chosen):
        lines += _window(records, number, window)
    world, android = records.world, records.android
    focused, front = records.focused, records.front_token
    target = records.window(focused)
    lines += ["", f"  mGlobalConfiguration={records.configuration}", "  mHasPermanentDpad=false"]
    if not android.display_focus:
        lines += [f"  mCurrentFocus={target}", f"  mFocusedApp={front}"]
    else:
        lines.append("  mTopFocusedDisplayId=0")
        names = (
            ("imeLayeringTarget", "imeInputTarget", "imeControlTarget")
            if android.ime_targets_renamed
            else ("mInputMethodTarget", "mInputMethodInputTarget", "inputMethodControlTarget")
        )
        lines += [f"  {name} in display# 0 {target}" for name in names]
    if world.input_method.window is not None:
        lines.append(f"  mInputMethodWindow={records.window(world.input_method.window)}")
    lines += [
        "  Minimum task size of display#0 220"
        if android.window_min_task_size
        else "  mInTouchMode=true",
        "  mTraversalScheduled=false",
        "  mSystemBooted=true mDisplayEnabled=true",
    ]
    if android.window_frozen:
        lines.append("  mDisplayFrozen=false windows=0 client=false apps=0")
    turned = "" if android.display_policy else " mAltOrientation=false"
    lines.append(f"  mRotation={world.rotation}{turned}")
    scales = [
        world.preferences.get("global", f"{kind}_scale") or "1.0"
        for kind in ("window_animation", "transition_animation", "animator_duration")
    ]
    lines.append(
        "  Animation settings: disabled=false "
        f"window={scales[0]} transition={scales[1]} animator={scales[2]}"
    )
    return lines


def _window(records: Records, number: int, window: Window) -> list[str]:
    world, android = records.world, records.android
    owner = records.owner(window)
    shown = window in records.shown
    title = records.title(window)
    task = owner[1].id if owner else 0
    stack = f"rootTaskId={task}" if android.window_hierarchy else f"stackId={task}"
    everyone = window.type != "APPLICATION"
    users = (
        f"showForAllUsers={flag(everyone)}"
        if android.window_owner_users
        else f"mShowToOwnerOnly={flag(not everyone)}"
    )
    kind = _TYPES.get(
        title, "BASE_APPLICATION" if owner and owner[0].window is window else "APPLICATION"
    )
    focusable = window.type == "APPLICATION" or window is world.focused_window
    flags = ["LAYOUT_IN_SCREEN", "HARDWARE_ACCELERATED"]
    if not focusable:
        flags.insert(0, "NOT_FOCUSABLE")
    if world.screen.is_secure(window):
        flags.insert(0, "SECURE")
    width, height = window.box[2] - window.box[0], window.box[3] - window.box[1]
    client = identity("client", window.id)
    token = (
        records.app_token(*owner)
        if owner
        else (f"WindowToken{{{identity('token', window.id)} android.os.BinderProxy@{client}}}")
    )
    lines = [
        f"  Window #{number} {records.window(window)}:",
        f"    mDisplayId=0 {stack} mSession={_session(records, window.package)} "
        f"mClient=android.os.BinderProxy@{client}",
        f"    mOwnerUid={records.uid(window.package)} {users} package={window.package} appop=NONE",
        f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty={kind}",
        f"      fl={' '.join(flags)}}}",
        f"    Requested w={width} h={height} mLayoutSeq=1",
    ]
    if window.type == "INPUT_METHOD":
        lines.append("    mIsImWindow=true mIsWallpaper=false mIsFloatingLayer=true")
    lines.append(f"    mBaseLayer={21000 if owner else 151000} mSubLayer=0    mToken={token}")
    if owner:
        lines.append(
            f"    {'mActivityRecord' if android.window_hierarchy else 'mAppToken'}={token}"
        )
    lines += [
        f"    mViewVisibility={'0x0' if shown else '0x8'} mHaveFrame=true "
        f"mObscured={flag(not shown)}",
        f"    mFullConfiguration={records.configuration}",
        f"    mHasSurface={flag(shown)} isReadyForDisplay()={flag(shown)} "
        "mWindowRemovalAllowed=false",
    ]
    frame = box(window.box)
    if not android.window_frames_joined:
        frames = [
            f"    mFrame={frame} last={frame}",
            f"    Frames: containing={frame} parent={frame}",
        ]
        lines += reversed(frames) if android.window_frames_first else frames
    else:
        screen = box((0, 0, world.width, world.height))
        lines.append(
            f"    Frames: parent={screen} display={screen} frame={frame} last={frame} "
            "insetsChanged=false"
        )
    state = "HAS_DRAWN" if shown else "NO_SURFACE"
    lines += [
        f"    WindowStateAnimator{{{identity('animator', window.id)} {title}}}:",
        f"      mDrawState={state}       mLastHidden={flag(not shown)}",
        f"    isOnScreen={flag(shown)}",
        f"    isVisible={flag(shown)}",
    ]
    return lines
