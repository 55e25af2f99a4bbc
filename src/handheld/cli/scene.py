"""The scene of a virtual phone that a command starts. It is checked before anything is opened: the
phone itself is another process, which could only exit."""

from ..settings import VIRTUAL, Settings, SettingsError


def check_scene(settings: Settings) -> None:
    """Raises SettingsError for a scene that no virtual phone of ours could have."""
    if not settings.scene:
        return
    source = settings.sources.get("scene", "")
    if VIRTUAL not in settings.phones:
        if source:  # in the file it is for other starts
            raise SettingsError(f"{source} is for a virtual phone: add --phone {VIRTUAL}.")
        return
    from handheld_virtual import Scene, SceneError

    try:
        Scene.load(settings.scene)
    except SceneError as problem:
        raise SettingsError(f"{source or 'scene in handheld.toml'}: {problem}") from problem
