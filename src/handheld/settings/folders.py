"""Where configuration and state are stored: the platform's folders, or HANDHELD_HOME."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PLACES: Mapping[str, str] = {
    "HANDHELD_HOME": "One folder for configuration and state, instead of the platform's folders.",
    "HANDHELD_CONFIG": "The configuration file, instead of `handheld.toml` in the configuration "
    "folder.",
}
"""The variables that locate files, with their help. They have no key and no flag."""


class Folders(NamedTuple):
    """The two folders, and the names of the files in them."""

    config: Path
    state: Path

    @property
    def token(self) -> Path:
        return self.state / "token"

    @property
    def tokens(self) -> Path:
        return self.state / "tokens.json"

    @property
    def storage(self) -> Path:
        return self.config / "storage.toml"

    @property
    def apps(self) -> Path:
        return self.state / "apps.json"

    @property
    def unasked_messages(self) -> Path:
        """When messages were sent without a question."""
        return self.state / "unasked-messages.json"

    @property
    def ref_letters(self) -> Path:
        return self.state / "ref-letters"

    @property
    def originals(self) -> Path:
        """The phones' settings before Handheld changed them."""
        return self.state / "originals.json"

    @property
    def recordings(self) -> Path:
        """Videos of screens that were not put into a storage location."""
        return self.state / "recordings"

    @property
    def steps(self) -> Path:
        return self.state / "steps.json"

    @property
    def owners(self) -> Path:
        return self.state / "owners"

    @property
    def gateways(self) -> Path:
        """The running gateways; `owners` has the processes that own phones."""
        return self.state / "gateways"

    @property
    def held(self) -> Path:
        return self.state / "held"

    @property
    def tasks(self) -> Path:
        return self.state / "tasks.json"

    @property
    def tls(self) -> Path:
        return self.state / "tls"

    @property
    def clients(self) -> Path:
        """Copies of MCP clients' files from before we changed them."""
        return self.state / "clients"

    @property
    def engine(self) -> Path:
        return self.state / "engine"

    def joined(self, role: str) -> Path:
        """This computer's identity towards the engine, as a host or as a gateway."""
        return self.state / f"{role}.json"

    @property
    def names(self) -> Path:
        """Which host had a phone's name first, as seen by this computer as a gateway."""
        return self.state / "names.json"

    @property
    def claims(self) -> Path:
        """The claims by which this computer, as a host, uses its phones."""
        return self.state / "claims.json"

    @property
    def audit(self) -> Path:
        return self.state / "audit" / "calls.sqlite"


def folders(environment: Mapping[str, str]) -> Folders:
    if home := environment.get("HANDHELD_HOME"):
        folder = Path(home).expanduser().absolute()
        return Folders(folder, folder / "state")
    import platformdirs

    return Folders(
        platformdirs.user_config_path("handheld"), platformdirs.user_state_path("handheld")
    )
