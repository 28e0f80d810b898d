"""Wrong applications, policies and settings, each with a name."""

from __future__ import annotations

from collections.abc import Sequence

GOOD = """\
functions:
  read: {mu: 5}
  write: {mu: 2}
edges:
  - [read, write]
sources:
  read: [[60, 1]]
policies: [constant]
settings: {r_max: 2}
"""

FILES = {
    "an unknown function": GOOD.replace("[read, write]", "[read, wirte]"),
    "an unknown source": GOOD.replace("[read, write]", "[images, write]"),
    "a cycle": GOOD.replace("[read, write]", "[read, write]\n  - [write, read]"),
    "no source": GOOD.replace("\n  read: [[60, 1]]", " {}"),
    "sources left out": GOOD.replace("sources:\n  read: [[60, 1]]\n", ""),
    "no functions": "functions: {}\nsources:\n  a: [[60, 1]]\n",
    "a source that feeds nothing": GOOD.replace("  read: [[", "  images: [["),
    "a function without events": GOOD.replace("  - [read, write]\n", "").replace("edges:\n", ""),
    "a number for edges": GOOD.replace("\n  - [read, write]", " 0"),
    "an unknown key": GOOD.replace("policies", "policy"),
    "a function without a speed": GOOD.replace("{mu: 2}", "{cs: 1}"),
    "a function that serves nothing": GOOD.replace("mu: 2", "mu: 0"),
    "a negative rate": GOOD.replace("[60, 1]", "[60, -1]"),
    "no interval": GOOD.replace("[60, 1]", "60"),
    "too many events": GOOD.replace("[60, 1]", "[1000000, 1000]"),
    "a name with a blank": GOOD.replace("read: {", "read it: {"),
    "an unknown policy in the file": GOOD.replace("[constant]", "[constnat]"),
    "a setting out of range": GOOD.replace("r_max: 2", "r_max: 0"),
    "an unknown setting in the file": GOOD.replace("r_max", "bound"),
    "a number for settings": GOOD.replace("{r_max: 2}", "0"),
    "no mapping": "- a\n- b\n",
    "no YAML": "functions: {",
}
"""Contents of files for `simulate-application`."""

OPTIONS: dict[str, Sequence[str]] = {
    "an unknown policy": ("--policy", "ds3"),
    "an unknown parameter": ("--policy", "ds2:alpha=1"),
    "a parameter without a value": ("--policy", "queueing_paths:alpha"),
    "a parameter out of range": ("--policy", "queueing_paths:alpha=2"),
    "a policy twice": ("--policy", "ds2,ds2"),
    "an unknown setting": ("--set", "mu=5"),
    "a wrong setting": ("--set", "decision_s=0"),
    "a setting without a value": ("--set", "decision_s"),
}
"""Options of `simulate-application`, on a file that is right."""

EXPERIMENTS: dict[str, Sequence[str]] = {
    "an unknown application": ("application=movies",),
    "an application without a source": ('application={"functions":{"a":{"mu":1}}}',),
    "a number for an application": ("application=5",),
    "an unknown policy": ("policies=ds3",),
    "no policy": ("policies=5",),
    "too many rows": ("replicates=1000", "decision_s=1"),
    "a key of another family": ("partitions=4",),
}
"""Settings of preset `applications`."""
