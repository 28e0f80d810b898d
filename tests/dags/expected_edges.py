"""Tasks of a DAG, and which follow which, from the stages of its family."""

from itertools import pairwise

from pipeline.experiments.family_list import stages_in


def steps_of(family):
    """Tasks in order, each check a step of its own."""
    stages = stages_in(family)
    steps = (name for s in stages for name in (s.name, *(f"check_{t}" for t in s.writes)))
    return ["begin", *steps, "conclude", "gate"]


def edges_of(family):
    """Names of the tasks that follow each task."""
    edges = {step: {after} for step, after in pairwise(steps_of(family))}
    for stage in stages_in(family):
        if stage.mapped:
            edges["begin"].add(stage.name)  # which lists the units
            edges[stage.name].add("conclude")  # which waits for all of them
    return {**edges, "gate": set()}
