"""The command that starts this program again, for whoever is to start it later."""

import shutil
import sys
from pathlib import Path

from ..settings.environment import variables


def own_program() -> tuple[str, ...]:
    """With its full path, since some clients have no PATH."""
    if runs_from_cache() and (uv := variables().get("UV")):
        return _uvx(Path(uv))
    script = shutil.which(sys.argv[0])
    if script and Path(script).name == "handheld":
        return (str(Path(script).absolute()),)
    # Without -P the folder that the client starts us in would come before our own modules.
    return (sys.executable, "-P", "-m", "handheld")


def runs_from_cache() -> bool:
    """Whether what started us, such as `uvx`, put us into a folder that is emptied at times."""
    return any((folder / "CACHEDIR.TAG").exists() for folder in Path(sys.prefix).parents)


def _uvx(uv: Path) -> tuple[str, ...]:
    """It puts us into its cache again where we are gone."""
    import json
    from importlib.metadata import distribution

    origin = json.loads(distribution("handheld").read_text("direct_url.json") or "{}")
    source: str = origin.get("url", "")
    if repository := origin.get("vcs_info"):
        source = f"{repository['vcs']}+{source}@{repository['commit_id']}"
    # What was not taken from the package index is to be taken from the same place again.
    return (str(uv.with_name("uvx")), *(("--from", source) if source else ()), "handheld")
