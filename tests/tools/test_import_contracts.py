"""Each contract on imports fails on an import that it forbids: none is empty words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any

import grimp
import pytest
from importlinter import configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

from tools.layout import here

pytestmark = [pytest.mark.unit, pytest.mark.slow]

LINTER = tomllib.loads((here().root / "pyproject.toml").read_text())["tool"]["importlinter"]
KINDS = {"layers": LayersContract, "forbidden": ForbiddenContract}


def planted(contract: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """From each layer to the one above it, and of each forbidden module: importer and imported."""
    if contract["type"] == "forbidden":
        source = contract["source_modules"][0]
        yield from ((source, module) for module in contract["forbidden_modules"])
        return
    for container in contract.get("containers", [""]):
        layers = [
            [f"{container}.{part.strip()}".lstrip(".") for part in layer.split("|")]
            for layer in contract["layers"]
        ]
        for above, below in pairwise(layers):
            yield below[0], above[-1]
        # Rooms on one floor do not know each other either.
        yield from ((layer[0], layer[-1]) for layer in layers if len(layer) > 1)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    configuration.configure()
    return grimp.build_graph(*LINTER["root_packages"], include_external_packages=True)


@pytest.mark.parametrize("contract", LINTER["contracts"], ids=lambda each: each["name"])
def test_a_planted_import_breaks_the_contract(
    contract: dict[str, Any], graph: grimp.ImportGraph
) -> None:
    # As from a file of settings, where all values are texts.
    options = {k: str(v) if isinstance(v, bool) else v for k, v in contract.items()}
    rule = KINDS[contract["type"]](contract["name"], LINTER, options)
    assert rule.check(deepcopy(graph), False).kept
    for importer, imported in planted(contract):
        worse = deepcopy(graph)
        if imported not in worse.modules:
            # A package that nothing imports.
            worse.add_module(imported, is_squashed=True)
        worse.add_import(importer=importer, imported=imported)
        assert not rule.check(worse, False).kept, f"{importer} may import {imported}"
