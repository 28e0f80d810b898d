"""Tasks of a DAG, and which follow which, from the stages of its family."""

from itertools import pairwise

from pipeline.experiments.family_list import stages_in


def steps_of(family):
    """Tasks in order: stages that fill the same tables are one step, each check is another."""
    steps, before = [], ()
    for stage in stages_in(family):
        if stage.writes and stage.writes == before:
            steps[-1 - len(before)].add(stage.name)
        else:
            steps += [{stage.name}, *({f"check_{table}"} for table in stage.writes)]
        before = stage.writes
    return [{"begin"}, *steps, {"conclude"}, {"gate"}]


def edges_of(family):
    """Names of the tasks that follow each task."""
    edges = {name: set(after) for step, after in pairwise(steps_of(family)) for name in step}
    for stage in stages_in(family):
        if stage.mapped:
            edges["begin"].add(stage.name)  # which lists the units
            edges[stage.name].add("conclude")  # which waits for all of them
    return {**edges, "gate": set()}
