"""Simulation of an application of several functions that a policy scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from algorithms.simulation.application_graph import check_application
from algorithms.simulation.application_result import ApplicationResult
from algorithms.simulation.application_settings import check_settings


def simulate_application(
    functions: Mapping[str, Mapping[str, Any]],
    edges: Iterable[tuple[str, str]],
    sources: Mapping[str, Sequence[tuple[float, float]]],
    policy: str,
    arguments: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> ApplicationResult:
    """Simulate an application event by event while a policy scales its functions.

    The instances of a function fetch events ahead, in turns, or share one queue, first in, first
    out (see `algorithms.simulation.application_buffers`). Every `decision_s` the policy sees
    measurements of the functions since its last decision: backlog, arrivals and those of them that
    came from a source, completions, busy seconds, means and variances of times between arrivals and
    of service times. A backlog includes events in service. The policy also knows the graph and the
    selectivities. When a window has no events, its last estimates stay. After the
    sources have ended there are no decisions, and the functions complete what is left.

    functions: ``mu``, events/s of one instance; ``cs`` (1), coefficient of variation of the service
        times: 0 constant, 1 exponential, else Gamma; ``selectivity`` (1), events passed to each
        downstream function per event: its integer part, and the rest by chance; ``initial`` (1)
        instances.
    edges: Pairs of functions; `from` can also be a source.
    sources: Intervals of constant rate, from time 0 on. A source with the name of a function feeds
        that function. Any other feeds the functions at its edges, each with the same events.
    policy: ``constant``; ``threshold`` (``t_in`` 50, ``t_out`` 150); ``queueing`` (``r_max``, one
        number or one per function); ``queueing_paths`` (``r_max`` of each path, ``alpha`` 0.5,
        ``paths``, by default all); ``ds2``; ``linear`` (``f_up`` 0.9, ``f_down`` 0.4); ``keda_hpa``
        (``threshold`` 10, ``tolerance_up`` and ``tolerance_down`` 0.1, ``scale_up``,
        ``scale_down``). All but ``constant`` take ``k_max`` (15), the most instances per function.
    settings: ``decision_s`` (30); ``receiver_queue`` (1000), events that an instance fetches ahead,
        0 for one queue; ``startup_s`` (0), after which new instances work, and ``start_gap_s`` (0)
        from one of them to the next; ``replace`` (false), whether a change restarts all instances
        of the function; ``in_turn`` (false), whether instances stop one after another (see
        `algorithms.simulation.application_stops`); ``spacing`` of the sources' events,
        ``exponential`` (default) or ``constant``; ``r_max`` (1 s), the bound for `above` in the
        results and for policies that are given none; ``seed`` (0).
    Raises InvalidParameterError also if the edges have a cycle.

    The loop of Russo Russo, Schiazza, Cardellini 2021 (Elastic Pulsar Functions). Removed
    instances are those with the highest numbers, which includes those that have not started yet;
    they finish their event (with ``in_turn``, others then process it again), and what they have
    fetched ahead goes to others. Instances count from the decision that asks for them until the one
    that removes them. With constant spacing an event is in the middle of its spacing.

    Draws depend on the seed, the names and the identity of an event alone: its source, its number
    there, and how it was passed on. All policies see the same events with the same service times.
    Ties: `algorithms.simulation.application_events`. O(log n + S) per event, for n events in
    service and S sources; memory for the events in the system and for one number per response.

    At 6.2 images/s and half a second per image, four instances are enough:

    >>> result = simulate_application(
    ...     {"recognise": {"mu": 2.0, "cs": 0.0}},
    ...     [],
    ...     {"recognise": [(120, 6.2)]},
    ...     "ds2",
    ...     settings={"spacing": "constant", "receiver_queue": 0},
    ... )
    >>> result.instances[:, 0].tolist(), result.backlogs[:, 0].tolist()
    ([1, 4, 4, 4], [0, 127, 73, 19, 3])
    """
    application = check_application(functions, edges, sources)
    checked = check_settings(settings, application.seconds)
    # These import Numba, which takes seconds: not before the arguments are checked.
    from algorithms.simulation.application_loop import Loop
    from algorithms.simulation.application_policies import start_policy

    plan = start_policy(policy, application, checked.r_max, arguments)
    return Loop(application, checked).run(plan)
