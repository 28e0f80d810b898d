"""The file of a picture: checked before a simulation, and written whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation.simulation_plot import MOST_STRATEGIES
from pipeline.reporting.drawing import raster

SVG, PNG = ".svg", ".png"


def check(path: Path, strategies: int) -> None:
    """Check that a picture can be drawn and written, before anything is simulated.

    Raises InputError if there are too many strategies, or the path is not that of a picture.
    """
    if path.suffix.lower() not in (SVG, PNG):
        raise InputError(f"--plot {path}: the name must end in {SVG} or {PNG}")
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"--plot {path}: not a regular file")
        if not path.parent.is_dir():
            raise InputError(f"--plot {path}: the folder does not exist; create it")
    except OSError as error:
        raise InputError(f"--plot {path}: cannot write the file ({error.strerror})") from error
    if strategies > MOST_STRATEGIES:
        raise InputError(
            f"--plot can show at most {MOST_STRATEGIES} strategies (got {strategies}); "
            "choose fewer with --strategy"
        )


def write(path: Path, picture: bytes) -> None:
    """Write an SVG picture in the form that the name says, all of it or nothing.

    Raises InputError if the file cannot be written.
    """
    content = raster.png(picture) if path.suffix.lower() == PNG else picture
    place = path.resolve()
    part = place.with_name(f".{secrets.token_hex(8)}{place.suffix}.part")
    try:
        part.write_bytes(content)
        part.replace(place)
    except OSError as error:
        raise InputError(f"--plot {path}: cannot write the file ({error.strerror})") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
