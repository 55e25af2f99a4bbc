"""Engines for the tests of this folder."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from .fleet_lab import Fleet, open_fleet
from .lab import Lab, nats_server
from .network import Namespace, Network, NoNamespaces


@pytest.fixture(scope="session")
def server() -> None:
    if nats_server() is None:
        pytest.skip("There is no nats-server: `make test WHAT=fleet` installs one.")


@pytest.fixture(scope="session")
def _one(server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("engine"), tenants=("main", "other"))
    try:
        yield lab
    finally:
        lab.close()


@pytest.fixture
async def lab(_one: Lab) -> Lab:
    """One server that all tests share, each with members of its own."""
    await _one.set_up()
    return _one


@pytest.fixture(scope="session")
def _three(server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("cluster"), nodes=3)
    try:
        yield lab
    finally:
        lab.close()


@pytest.fixture
async def cluster(_three: Lab) -> Lab:
    """Three servers that run, whatever the test before did to them."""
    _three.heal()
    await _three.set_up()
    return _three


@pytest.fixture
def network() -> Iterator[Network]:
    try:
        made = Network()
    except NoNamespaces as why:
        pytest.skip(str(why))
    with closing(made):
        yield made


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    """On a server of its own: the directory keeps the phones of hosts that are gone."""
    async with open_fleet(tmp_path) as fleet:
        yield fleet


def make_namespace(network: Network) -> Namespace:
    try:
        return network.namespace()
    except NoNamespaces as why:
        pytest.skip(str(why))
