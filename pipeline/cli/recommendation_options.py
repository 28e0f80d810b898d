"""What `groupscale recommend` is asked: its options as a plan."""

from __future__ import annotations

from algorithms.inference.simplest_choice import Rule
from algorithms.inference.week_draws import Spread
from algorithms.simulation.group_costs import Prices
from algorithms.simulation.incident_kinds import Spot
from pipeline.experiments.autoscaling.recommendation import (
    manifests,
    recommendation_question,
    service_objective,
    survived_events,
    todays_group,
)
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.simulation_plan import RecommendationPlan, plan
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks
from pipeline.experiments.autoscaling.simulation import (
    candidate_runs,
    declared_events,
    simulation_settings,
)
from pipeline.experiments.autoscaling.workloads import workload_source
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.inputs.traces import reading


def planned(
    source: str,
    partitions: int | None,
    split: str | None,
    sets: list[str],
    mu: float,
    slo: str,
    strategies: list[str],
    prices: tuple[float, float, float],
    rule: tuple[float, float, float, float],
    today: int | None,
    said: tuple[str | None, str | None],
    group: tuple[str | None, str | None],
    target: Target,
    currency: str,
    bad_hour: tuple[str | None, str | None],
    spot: Spot | None,
    allow_blind: bool,
    survive: str | None,
) -> tuple[Workload, RecommendationPlan]:
    """Check the options, and read or generate the workload; returns it with the plan."""
    objective = service_objective.parse(slo)
    survived = None if survive is None else survived_events.parse(survive)
    settings = simulation_settings.with_options(simulation_settings.from_options(sets), *group)
    own = {key: value for key, value in settings.group.items() if key != "step_s"}
    checked = simulation_settings.check_alone(
        recommendation_question.startable(
            {**settings.group, "mu": mu, "wsla_s": objective.latency_s}
        )
    )
    how = workload_source.split_of(split)
    load = workload_source.load(
        source, partitions, how, settings.workload, checked, reading.of_options(*said)
    )
    candidates = (
        candidate_runs.parse(strategies, load.rates.shape[1], checked) if strategies else ()
    )
    recommendation_question.check_given(own, candidates)
    question = recommendation_question.Question(
        objective,
        mu,
        Prices(*prices),
        own,
        candidates,
        Rule(*rule[:2]),
        Spread(day_spread=rule[2]),
        load.sizes,
        load.labels,
        today if today is not None or load.group is None else todays_group.members_of(load.group),
        load.averaged_s,
        rule[3],
        load.started_at,
        manifests.of_recording(
            target._replace(members_per_replica=_members_per_replica(load)),
            [(each.name, each.partitions) for each in load.topics],
            load.unit,
        ),
        currency,
        *declared_events.worst(*bad_hour),
        spot,
        BlindChecks(allow_blind),
        None if survived is None else SurvivalChecks(survived, objective.allowed),
    )
    made = plan(load.rates, load.step_s, question)
    if question.survival is not None:
        question.survival.check_end(made.bench)
    return load, made


def _members_per_replica(load: Workload) -> int:
    """As recorded, else 1."""
    seen = None if load.group is None else todays_group.members_per_replica(load.group)
    return 1 if seen is None else seen
