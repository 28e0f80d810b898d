"""What an answer of a strategy means for the group: members that join and leave, new owners."""

from __future__ import annotations

from algorithms.core.arrays import Longs
from algorithms.core.compiled import inner, kernel
from algorithms.simulation import placing
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    COUNT,
    ENTERING,
    IDS,
    MEMBERS,
    RANKS,
    TARGET_KIND,
    UNOWNED,
    Members,
    State,
)


@kernel
def resolve(count: int, kind: int, rules: Rules, state: State) -> bool:
    """Plan the members and owners that a waiting answer asks for; return whether it changes any.

    count: Members after the action.
    kind: `COUNT`, `RANKS` or `IDS`; ranks and ids are those of the waiting answer.
    state: The settled group. Its plan is changed if there is an action.

    Members that leave are those that the ids do not use, else the highest ids, or any where a
    history is drawn; those that join get the lowest ids not in use. Ids that no member has stand
    for new members, both ascending. Of an answer with ranks or ids out of bounds, or more ids than
    members, only the count is taken.
    O(P + M), O(1) for the present count.
    """
    plan, members, counters = state.plan, state.members, state.counters
    n = counters[MEMBERS]
    if kind == COUNT and count == n:
        return False
    used = 0
    if not _are_within(plan.waiting, count if kind == RANKS else plan.renamed.shape[0]):
        kind = COUNT
    if kind == IDS:
        used = _mark(plan.waiting, plan.renamed)
        if used > count:
            kind = COUNT
    if rules.shuffled and kind != IDS and count < n:
        placing.draw_leaving(rules, count, state)
        kept = _keep_drawn(n, members, state.order.positions, plan.after)
    else:
        kept = _keep(count, kind, used, n, members, plan.renamed, plan.after)
    entering = count - kept
    list_new(entering, members, plan.entering)
    merge(kept, entering, plan.after, plan.entering)
    counters[ENTERING] = entering
    counters[TARGET_KIND] = kind
    if kind != COUNT:
        _name_owners(kind, state)
    return entering > 0 or kept < n or _differs(kind, plan.target, state.partitions.owners)


@inner
def _are_within(values: Longs, end: int) -> bool:
    within = True
    for value in values:
        within = within and UNOWNED <= value < end
    return within


@inner
def _mark(ids: Longs, marks: Longs) -> int:
    """Mark the ids that an answer uses; return how many there are."""
    marks[:] = 0
    used = 0
    for id_ in ids:
        if id_ != UNOWNED:
            used += marks[id_] == 0
            marks[id_] = 1
    return int(used)


@inner
def _keep(
    count: int, kind: int, used: int, n: int, members: Members, marks: Longs, after: Longs
) -> int:
    """List the members that stay, ascending; return how many do."""
    kept = 0
    unused = count - used
    for i in range(n):
        id_ = members.ids[i]
        stays = kept < count
        if kind == IDS and marks[id_] == 0:
            # More members than ids: the lowest unused ones stay without partitions.
            stays = unused > 0
            unused -= 1
        if stays:
            after[kept] = id_
            kept += 1
    return kept


@inner
def _keep_drawn(n: int, members: Members, stays: Longs, after: Longs) -> int:
    """List the members that were drawn to stay, ascending; return how many do."""
    kept = 0
    for i in range(n):
        if stays[i] == 1:
            after[kept] = members.ids[i]
            kept += 1
    return kept


@inner
def list_new(entering: int, members: Members, new: Longs) -> None:
    """List the lowest ids that are not in use."""
    listed, id_ = 0, 0
    while listed < entering:
        if members.places[id_] == UNOWNED:
            new[listed] = id_
            listed += 1
        id_ += 1


@inner
def merge(kept: int, entering: int, after: Longs, new: Longs) -> None:
    """Merge new ids into the ascending list of those that stay."""
    i, j = kept - 1, entering - 1
    while j >= 0:
        if i >= 0 and after[i] > new[j]:
            after[i + j + 1] = after[i]
            i -= 1
        else:
            after[i + j + 1] = new[j]
            j -= 1


@inner
def _name_owners(kind: int, state: State) -> None:
    """Replace ranks or ids of the answer by members."""
    plan, renamed = state.plan, state.plan.renamed
    if kind == IDS:
        _rename(renamed, state.members, plan.entering)
    for p in range(plan.target.shape[0]):
        answer = plan.waiting[p]
        if answer == UNOWNED:
            plan.target[p] = UNOWNED
        else:
            plan.target[p] = renamed[answer] if kind == IDS else plan.after[answer]


@inner
def _rename(renamed: Longs, members: Members, new: Longs) -> None:
    """Replace the marks of used ids by the members that they stand for."""
    next_new = 0
    for id_ in range(renamed.shape[0]):
        if renamed[id_] == 0:
            continue
        if members.places[id_] != UNOWNED:
            renamed[id_] = id_
        else:
            renamed[id_] = new[next_new]
            next_new += 1


@inner
def _differs(kind: int, target: Longs, owners: Longs) -> bool:
    differs = False
    for p in range(target.shape[0]):
        differs = differs or target[p] != owners[p]
    return kind != COUNT and differs
