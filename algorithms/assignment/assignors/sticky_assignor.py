"""Kafka's sticky assignor for members with equal subscriptions, eager and cooperative."""

from __future__ import annotations

from algorithms.assignment.assignors import present_owners
from algorithms.assignment.assignors.present_owners import UNOWNED, Scratch
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel


@kernel
def place_sticky(n: int, cooperative: bool, after: Longs, scratch: Scratch) -> int:
    """Rebalance n members; return how many partitions are withheld (cooperative only).

    Every member keeps what fits its share. The rest, by topic and then by number, goes to the
    members below ``P div n`` in turn, and then one each to those that have just that many.
    O(P + n).
    """
    present_owners.count(n, scratch.holders, scratch.sizes)
    n_unfilled, n_candidates = _set_quotas(n, after.shape[0], scratch)
    _keep(scratch.holders, scratch.by_number, scratch.quotas, after)
    return _share_rest(n, n_unfilled, n_candidates, cooperative, after, scratch)


@kernel
def _set_quotas(n: int, partitions: int, scratch: Scratch) -> tuple[int, int]:
    """Decide how many partitions each member keeps; list the members that may get more."""
    sizes, quotas = scratch.sizes, scratch.quotas
    unfilled, candidates = scratch.unfilled, scratch.candidates
    least, to_be_over = partitions // n, partitions % n
    most = least + (to_be_over > 0)
    over, n_unfilled, n_candidates = 0, 0, 0
    for m in range(n):
        if sizes[m] < least:
            unfilled[n_unfilled] = m
            n_unfilled += 1
        elif sizes[m] >= most and over < to_be_over:
            sizes[m] = most
            over += 1
        else:
            sizes[m] = least
            candidates[n_candidates] = m
            n_candidates += 1
        quotas[m] = sizes[m]
    return n_unfilled, n_candidates


@kernel
def _keep(holders: Longs, by_number: Longs, quotas: Longs, after: Longs) -> None:
    """Let each member keep its first partitions by number, then topic, as many as its quota."""
    for p in by_number:
        m = holders[p]
        after[p] = UNOWNED
        if m != UNOWNED and quotas[m] > 0:
            quotas[m] -= 1
            after[p] = m


@kernel
def _share_rest(
    n: int, n_unfilled: int, n_candidates: int, cooperative: bool, after: Longs, scratch: Scratch
) -> int:
    holders, sizes = scratch.holders, scratch.sizes
    unfilled, candidates = scratch.unfilled, scratch.candidates
    least = after.shape[0] // n
    # One pass over the unfilled members after the other: ``left`` of them go on to the next pass.
    turn, left, next_candidate, n_withheld = 0, 0, 0, 0
    for p in range(after.shape[0]):
        if after[p] != UNOWNED:
            continue
        if n_unfilled > 0:
            m = unfilled[turn]
            turn += 1
            sizes[m] += 1
            if sizes[m] < least:
                unfilled[left] = m
                left += 1
            else:
                candidates[n_candidates] = m
                n_candidates += 1
            if turn == n_unfilled:
                n_unfilled, turn, left = left, 0, 0
        else:
            m = candidates[next_candidate]
            next_candidate += 1
        # No member gets back what it did not keep: it has its share, and no extra place is free.
        if cooperative and holders[p] != UNOWNED:
            n_withheld += 1
        else:
            after[p] = m
    return n_withheld
