"""Setting up a phone from a scene."""

import difflib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from handheld.adb.keys import decode_public_key
from handheld.app_formats.apk.manifest import ManifestKind

from ..faults import FaultError
from ..files.entry import ROOT
from ..packages.app import App
from ..packages.deaths import crash, crash_natively, hang_in_background, kill_for_memory
from ..packages.error_reports import JavaException
from ..packages.installing.install_checks import InstallFailure, InstallOptions
from ..packages.installing.installed import InstalledApp
from ..packages.intent import find_component, whole_name
from ..packages.profiles import Profile
from ..packages.tasks import HOME
from ..sms.telephony import Box
from ..system.clipboard import Clip
from ..system.notifications import NotificationAction
from ..world import NotInstalled, NotLaunchable
from .app_events import SceneNotification
from .captured import Captured, install_captured, screen_size, usual_density
from .scene import Scene
from .table import SceneError

if TYPE_CHECKING:
    from ..phone import VirtualPhone


def stage(phone: "VirtualPhone", scene: Scene) -> None:
    """Put a new phone into the state of the scene. Raises SceneError."""
    world = phone.world
    if not scene.samples:
        _clear_storage(phone)
    for table, values in scene.preferences.items():
        for name, value in values.items():
            world.preferences.put(table, name, value)
    world.battery.become(scene.battery)
    if scene.dark:
        world.preferences.put("secure", "ui_night_mode", "2")
    if scene.languages:
        world.languages.choose(list(scene.languages))
    if scene.app_functions:
        if not world.android.app_functions:
            raise SceneError(f"phone.app_functions of {scene.name} needs api 36 or newer.")
        world.app_functions.generation = scene.app_functions
    if scene.location is not None:
        world.whereabouts.put(*scene.location)
    world.shell_revoked.update(scene.revoked)
    world.listener_refused = not scene.listener
    _stage_apps(phone, scene)
    _stage_profiles(phone, scene)
    _stage_links(phone, scene)
    world.web_debugging |= {_find_app(phone, scene, name).package for name in scene.web_debugging}
    _stage_files(phone, scene)
    _stage_messages(phone, scene)
    _stage_crashes(phone, scene)
    _stage_personal(phone, scene)
    for name in scene.stopped:
        world.running.stopped.add(_find_app(phone, scene, name).package)
    for note in scene.notifications:
        _notify(phone, scene, note)
    if scene.clipboard is not None:
        world.clipboard.hold(Clip(scene.clipboard))
    for key in scene.adb_keys:
        try:
            phone.allow(decode_public_key(key.encode() + b"\0"))
        except ValueError as problem:
            raise SceneError(f"phone.adb_keys of {scene.name} has no adb key: {problem}") from None
    if scene.show:
        install_captured(world, list(scene.show))
    if scene.rotation:
        world.rotate(scene.rotation)
    if scene.open:
        _open(phone, scene)
    if scene.pin is not None:
        world.keyguard.set_pin(scene.pin)
    if scene.locked:
        world.keyguard.lock()
    if scene.asleep:
        world.awake = False
    world.events.clear()
    phone.latency = scene.latency
    for words in scene.faults:
        try:
            phone.faults.set(words)
        except FaultError as problem:
            raise SceneError(f"phone.faults of {scene.name}: {problem}") from None


def _notify(phone: "VirtualPhone", scene: Scene, note: SceneNotification) -> None:
    """Post a notification, whose actions are only recorded when they are pressed."""
    titles = [(note.reply, True)] if note.reply else []
    titles += [(title, False) for title in note.buttons]
    phone.world.notify(
        _find_app(phone, scene, note.package).package,
        note.title,
        note.text,
        big_text=note.big_text or None,
        sub_text=note.sub_text or None,
        tag=note.tag or None,
        group=note.group or None,
        ongoing=note.ongoing,
        user=note.user,
        actions=tuple(
            NotificationAction(title, lambda text: None, takes_text) for title, takes_text in titles
        ),
    )


def _clear_storage(phone: "VirtualPhone") -> None:
    files = phone.files
    root = "/storage/emulated/0"

    def clear(folder: str) -> None:
        for name in files.list(folder, ROOT):
            path = f"{folder}/{name}"
            if files.is_folder(path, ROOT):
                clear(path)
                if folder != root:
                    files.remove_folder(path, ROOT)
            else:
                files.remove(path, ROOT)

    clear(root)


def _stage_apps(phone: "VirtualPhone", scene: Scene) -> None:
    world = phone.world
    if scene.apps is not None:
        kept = {_find_app(phone, scene, name).package for name in scene.apps} | {HOME}
        for app in list(world.apps.values()):
            if app.package not in kept and app.launchable:
                world.uninstall(app.package)
    for spec in scene.python:
        from ..packages.loading import BadApp, load_app

        try:
            world.install(load_app(spec))
        except BadApp as problem:
            raise SceneError(f"apps.python of {scene.name}: {problem}") from None
    for path in scene.apks:
        _install_apk(phone, scene, path)
    for name in scene.disabled:
        world.disabled_packages.add(_find_app(phone, scene, name).package)
    world.package_changes.clear()


def _stage_profiles(phone: "VirtualPhone", scene: Scene) -> None:
    for each in scene.profiles:
        if each.user in phone.world.profiles:
            raise SceneError(f"profiles of {scene.name} has two with the user {each.user}.")
        profile = Profile(each.user, each.kind, each.closed)
        for name in each.apps:
            app = _find_app(phone, scene, name)
            if isinstance(app, InstalledApp):
                raise SceneError(
                    f"profiles of {scene.name} names {name}: apps of APKs are for the first user."
                )
            profile.add(app)
        phone.add_profile(profile)


def _stage_links(phone: "VirtualPhone", scene: Scene) -> None:
    world = phone.world
    for each in scene.links:
        app = _find_app(phone, scene, each.package)
        if each.activity:
            name = whole_name(app.package, each.activity)
            if find_component(world, ManifestKind.ACTIVITY, (app.package, name)) is None:
                raise SceneError(
                    f"links of {scene.name} names {each.activity}, which {app.package} does not"
                    " have."
                )
            world.preferred_activities.add((app.package, name))
        if each.hosts:
            world.approved_links.setdefault(app.package, set()).update(each.hosts)


def _install_apk(phone: "VirtualPhone", scene: Scene, path: Path) -> None:
    installer = phone.world.installer
    try:
        data = path.read_bytes()
        session = installer.create(InstallOptions(), len(data))
        with installer.receive(session.id, "base.apk") as incoming:
            incoming.write(data)
        installer.commit(session.id)
    except OSError as problem:
        why = problem.strerror or problem
        raise SceneError(f"apps.apk of {scene.name}: {path} cannot be read: {why}.") from None
    except InstallFailure as failure:
        raise SceneError(f"apps.apk of {scene.name}: {path} is not installed: {failure}.") from None


def _find_app(phone: "VirtualPhone", scene: Scene, name: str) -> App:
    """Find an app by package or label."""
    apps = phone.world.apps
    if name in apps:
        return apps[name]
    labels = {app.label.lower(): app for app in apps.values() if app.launchable}
    if name.lower() in labels:
        return labels[name.lower()]
    near = difflib.get_close_matches(name.lower(), [*labels, *apps], n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(sorted(labels))}."
    raise SceneError(f"The scene {scene.name} names an app {name!r}, which does not exist. {hint}")


def _stage_files(phone: "VirtualPhone", scene: Scene) -> None:
    for file in scene.files:
        try:
            folder = file.path.rpartition("/")[0]
            if folder:
                phone.files.make_folder(folder, parents=True, user=ROOT)
            phone.files.write(file.path, file.content, 0o660, user=ROOT)
            if file.minutes_ago:
                saved = phone.world.wall.now().timestamp() - file.minutes_ago * 60
                phone.files.set_time(file.path, saved, user=ROOT)
        except OSError as problem:
            raise SceneError(
                f"The scene {scene.name} cannot put {file.path} on the phone: {problem.strerror}."
            ) from None


def _stage_messages(phone: "VirtualPhone", scene: Scene) -> None:
    telephony, now = phone.world.telephony, phone.world.wall.now().timestamp()
    if scene.sims is not None:
        telephony.sims = list(scene.sims)
    telephony.out_of_service.update(scene.out_of_service)
    for message in sorted(scene.messages, key=lambda message: -message.minutes_ago):
        telephony.store(
            message.address,
            message.text,
            Box.SENT if message.sent else Box.INBOX,
            sub=message.sub,
            read=message.read,
            date=int((now - message.minutes_ago * 60) * 1000),
        )
    for failure in scene.failures:
        telephony.fail(failure.pattern, failure.outcome, failure.times, failure.part)
    for sms in scene.incoming:
        phone.world.timers.after(
            sms.after_seconds * 1000,
            lambda sms=sms: telephony.receive(sms.address, sms.text, sms.sub),
        )


def _stage_personal(phone: "VirtualPhone", scene: Scene) -> None:
    now, personal = phone.world.wall.now(), phone.world.personal
    personal.contacts += scene.contacts
    personal.events += [event.at(now) for event in scene.events]
    personal.calls += [call.at(now) for call in scene.calls]


def _stage_crashes(phone: "VirtualPhone", scene: Scene) -> None:
    """Let each crash happen at its time by the phone's clock, and close the system's dialog about
    it."""
    world = phone.world
    for each in sorted(scene.crashes, key=lambda each: -each.minutes_ago):
        app = _find_app(phone, scene, each.package)
        if world.running.process(app) is None:
            world.running.ensure(app, "service")
        ago = timedelta(minutes=each.minutes_ago)
        world.wall.jump(-ago)
        try:
            match each.kind:
                case "crash":
                    crash(world, app, JavaException("java.lang.RuntimeException", each.reason))
                case "native_crash":
                    crash_natively(world, app, 6, each.reason)
                case "anr":
                    hang_in_background(world, app, each.reason)
                case _:
                    kill_for_memory(world, app, in_use=True)
        finally:
            world.wall.jump(ago)
    if scene.crashes:
        world.system_dialogs.close_all()


def _open(phone: "VirtualPhone", scene: Scene) -> None:
    world = phone.world
    package, slash, activity = scene.open.partition("/")
    app = _find_app(phone, scene, package)
    try:
        if slash:
            world.start(app.package, activity)
        else:
            world.bring(app.package)
    except KeyError:
        known = ", ".join(app.activities)
        raise SceneError(
            f"phone.open of {scene.name} names {activity}, which {app.package} does not have. "
            f"There are {known}."
        ) from None
    except (NotInstalled, NotLaunchable):
        raise SceneError(
            f"phone.open of {scene.name} names {app.package}, which shows nothing."
        ) from None


def show(scene: Scene, captured: list[Captured]) -> Scene:
    """Return the scene with captured screens, with their size and the orientation of the first."""
    width, height = screen_size(captured, scene.width, scene.height)
    return replace(
        resized(scene, width, height),
        rotation=captured[0].dump.rotation,
        show=(*scene.show, *captured),
    )


def resized(scene: Scene, width: int, height: int) -> Scene:
    """Return the scene with another portrait screen size and its usual density."""
    if (width, height) == (scene.width, scene.height):
        return scene
    return replace(scene, width=width, height=height, density=usual_density(width, height))


def override(scene: Scene, **given: object) -> Scene:
    """Return the scene with the values of `given` that are not None."""
    return replace(scene, **{name: value for name, value in given.items() if value is not None})
