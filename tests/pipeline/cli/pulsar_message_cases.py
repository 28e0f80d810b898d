"""Wrong settings of experiments on Pulsar, each with a name."""

from __future__ import annotations

from collections.abc import Sequence

EXPERIMENTS: dict[str, Sequence[str]] = {
    "an unknown guarantee": ("guarantee=effectively_once",),
    "an unknown hold": ("hold=none",),
    "an unknown executor": ("executors=fast",),
    "an executor twice": ("executors=stock,stock",),
    "an unknown graph": ("graph=movies",),
    "a negative width of images": ("image_width=-1",),
    "images that are too wide": ("image_width=2001",),
    "a width that is no integer": ("image_width=wide",),
    "one queue": ("receiver_queue=0",),
    "an unknown policy": ("policies=ds3",),
    "an interval of one and a half decisions": ("piece_s=12", "decision_s=8"),
    "a load that is too fast": ("recognise_s=0.02", "load_levels=5"),
    "a load of nothing": ("load_levels=0",),
    "more than a day": ("piece_s=3600", "replicates=100"),
    "a change that takes no time": ("resizings=10", "slot_s=0"),
    "a key of another family": ("partitions=4",),
}
"""Settings of preset `pulsar-smoke`."""
