"""How the scaler of a recommendation runs: its image, and whether it has TLS."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.base.text.kubernetes_names import check_option

_IMAGE = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(?::[0-9]{1,5})?"
    r"(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


class ScalerOptions(NamedTuple):
    """What is chosen of a scaler."""

    image: str = "groupscale:0.1.0"
    has_tls: bool = False


DEFAULT = ScalerOptions()


def of_options(image: str, has_tls: bool) -> ScalerOptions:
    """The scaler that the options describe. Raises InputError, which names the option."""
    check_option("scaler-image", image, _IMAGE, "the name of an image", DEFAULT.image, 255)
    return ScalerOptions(image, has_tls)
