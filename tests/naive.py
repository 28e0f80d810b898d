"""A slow and obvious reference for the science, written from the text alone.

Nothing here is shared with `algorithms`: plain lists and dicts, one partition at a time, each rule
spelled out where it applies. The kernels have to agree with it assignment by assignment.

A *row* is one iteration in partition order: a speed per partition, or None where it is absent.
An *assignment* has the same shape and holds consumer ids.
"""

from collections.abc import Callable, Sequence

Row = Sequence[float | None]
Assignment = list[int | None]
Speeds = dict[int, float]
Owners = dict[int, int]
FitRule = Callable[["Group"], Callable[[int], int | None]]


class Group:
    """The consumer group while one iteration is being assigned.

    Parameters
    ----------
    speeds : dict of int to float
        Speed of every present partition.
    before : dict of int to int
        Consumer of every partition that was present one iteration earlier.
    capacity : float
        Packing capacity of a consumer, in the unit of the speeds.
    """

    def __init__(self, speeds: Speeds, before: Owners, capacity: float) -> None:
        self.speeds = speeds
        self.before = before
        self.capacity = capacity
        self.loads: dict[int, float] = {}  # by consumer id, in the order of opening
        self.owners: Owners = {}

    def fits(self, partition: int, consumer: int) -> bool:
        """Whether an open consumer, which is never empty, has room for a partition."""
        return self.loads[consumer] + self.speeds[partition] <= self.capacity

    def fitting(self, partition: int) -> list[int]:
        """Open consumers with room for a partition, ascending by id."""
        return [consumer for consumer in sorted(self.loads) if self.fits(partition, consumer)]

    def put(self, partition: int, consumer: int) -> None:
        """Assign a partition to a consumer, opening the consumer where needed."""
        self.loads[consumer] = self.loads.get(consumer, 0.0) + self.speeds[partition]
        self.owners[partition] = consumer

    def consumer_to_open(self, partition: int) -> int:
        """Equations 12 to 14: the partition's last consumer if closed, else the lowest closed."""
        last = self.before.get(partition)
        if last is not None and last not in self.loads:
            return last
        lowest = 0
        while lowest in self.loads:
            lowest += 1
        return lowest

    def place(self, partition: int, choose: Callable[[int], int | None]) -> None:
        """Assign a partition by a fit rule, opening a consumer where none fits."""
        chosen = choose(partition)
        self.put(partition, self.consumer_to_open(partition) if chosen is None else chosen)


def next_fit(group: Group) -> Callable[[int], int | None]:
    """Only the consumer opened last is looked at."""

    def choose(partition: int) -> int | None:
        if not group.loads:
            return None
        last_opened = list(group.loads)[-1]
        return last_opened if group.fits(partition, last_opened) else None

    return choose


def next_fit_from_0(group: Group) -> Callable[[int], int | None]:
    """Next fit that finds consumer 0 open and empty, as the paper's authors released it."""
    choose_next = next_fit(group)
    return lambda partition: choose_next(partition) if group.loads else 0


def first_fit(group: Group) -> Callable[[int], int | None]:
    """The lowest id that fits."""

    def choose(partition: int) -> int | None:
        for consumer in group.fitting(partition):
            return consumer
        return None

    return choose


def best_fit(group: Group) -> Callable[[int], int | None]:
    """The highest load that fits, the lowest id among equals."""

    def choose(partition: int) -> int | None:
        best = None
        for consumer in group.fitting(partition):
            if best is None or group.loads[consumer] > group.loads[best]:
                best = consumer
        return best

    return choose


def worst_fit(group: Group) -> Callable[[int], int | None]:
    """The lowest load that fits, the lowest id among equals."""

    def choose(partition: int) -> int | None:
        worst = None
        for consumer in group.fitting(partition):
            if worst is None or group.loads[consumer] < group.loads[worst]:
                worst = consumer
        return worst

    return choose


def largest_first(partitions: Sequence[int], speeds: Speeds) -> list[int]:
    """Order by speed, largest first; the lower partition index among equals."""
    return sorted(partitions, key=lambda partition: (-speeds[partition], partition))


def smallest_first(partitions: Sequence[int], speeds: Speeds) -> list[int]:
    """Order by speed, smallest first; the lower partition index among equals."""
    return sorted(partitions, key=lambda partition: (speeds[partition], partition))


def any_fit(group: Group, rule: FitRule, order: Sequence[int]) -> None:
    """Place the present partitions one by one in the given order."""
    choose = rule(group)
    for partition in order:
        if partition in group.speeds:
            group.place(partition, choose)


def total_speed(partitions: Sequence[int], speeds: Speeds) -> float:
    """Sum of the partitions' speeds, in the order of their index."""
    total = 0.0
    for partition in sorted(partitions):
        total += speeds[partition]
    return total


def largest_speed(partitions: Sequence[int], speeds: Speeds) -> float:
    """Speed of the fastest of the partitions."""
    return max(speeds[partition] for partition in partitions)


def modified_any_fit(
    group: Group, rule: FitRule, weigh: Callable[[Sequence[int], Speeds], float]
) -> None:
    """Algorithm 1: repack consumer by consumer, keeping partitions where they are if possible."""
    choose = rule(group)
    held: dict[int, list[int]] = {}
    for partition, consumer in group.before.items():
        if partition in group.speeds:
            held.setdefault(consumer, []).append(partition)
    weights = {consumer: weigh(members, group.speeds) for consumer, members in held.items()}
    unassigned: list[int] = []
    for consumer in sorted(held, key=lambda one: (-weights[one], one)):
        unassigned += _repack_consumer(group, choose, consumer, held[consumer])
    arrived = [partition for partition in group.speeds if partition not in group.before]
    for partition in largest_first(unassigned + arrived, group.speeds):
        group.place(partition, choose)


def _repack_consumer(
    group: Group, choose: Callable[[int], int | None], consumer: int, members: list[int]
) -> list[int]:
    """Handle one of last iteration's consumers; return the partitions that found no place."""
    remaining = smallest_first(members, group.speeds)
    while remaining:
        chosen = choose(remaining[0])
        if chosen is None:
            break
        group.put(remaining.pop(0), chosen)
    remaining = largest_first(remaining, group.speeds)
    if remaining:  # the consumer is empty until now, so the first one always fits
        group.put(remaining.pop(0), consumer)
    while remaining and group.fits(remaining[0], consumer):
        group.put(remaining.pop(0), consumer)
    return remaining


RULES: dict[str, FitRule] = {"N": next_fit, "F": first_fit, "B": best_fit, "W": worst_fit}

ONLINE: dict[str, FitRule] = {f"{letter}F": rule for letter, rule in RULES.items()}
DECREASING: dict[str, FitRule] = {f"{letter}FD": rule for letter, rule in RULES.items()}
MODIFIED: dict[str, tuple[FitRule, Callable[[Sequence[int], Speeds], float]]] = {
    "MWF": (worst_fit, total_speed),
    "MBF": (best_fit, total_speed),
    "MWFP": (worst_fit, largest_speed),
    "MBFP": (best_fit, largest_speed),
}
TWELVE: tuple[str, ...] = (*ONLINE, *DECREASING, *MODIFIED)
NAMES = (*TWELVE, "NF0", "NFD0")
ONLINE["NF0"] = DECREASING["NFD0"] = next_fit_from_0


def assign(
    name: str, rows: Sequence[Row], capacity: float, orders: Sequence[Sequence[int]]
) -> list[Assignment]:
    """Assign every iteration of a stream.

    Parameters
    ----------
    name : str
        One of `NAMES`, ``kd_<n>``, or ``range_<n>`` on one topic.
    rows : sequence of rows
        Speeds per iteration.
    capacity : float
        Packing capacity of a consumer, in the unit of the speeds.
    orders : sequence of sequences of int
        Per iteration, the order in which the online algorithms take the partitions.

    Returns
    -------
    list of list of int or None
        Consumer ids per iteration.

    Raises
    ------
    KeyError
        If there is no such algorithm.
    """
    if name.startswith("kd_"):
        return [kafka_static(row, int(name.removeprefix("kd_"))) for row in rows]
    if name.startswith("range_"):
        return [kafka_range(row, int(name.removeprefix("range_"))) for row in rows]
    result: list[Assignment] = []
    before: Owners = {}
    for row, order in zip(rows, orders, strict=True):
        speeds = {j: speed for j, speed in enumerate(row) if speed is not None}
        group = Group(speeds, before, capacity)
        _assign_iteration(name, group, order)
        result.append([group.owners.get(partition) for partition in range(len(row))])
        before = group.owners
    return result


def _assign_iteration(name: str, group: Group, order: Sequence[int]) -> None:
    """Run one of the twelve on one iteration."""
    if name in ONLINE:
        any_fit(group, ONLINE[name], order)
    elif name in DECREASING:
        any_fit(group, DECREASING[name], largest_first(list(group.speeds), group.speeds))
    else:
        rule, weigh = MODIFIED[name]
        modified_any_fit(group, rule, weigh)


def kafka_static(row: Row, n: int) -> Assignment:
    """Assign partition i to consumer i mod n, independent of speeds."""
    return [None if speed is None else i % n for i, speed in enumerate(row)]


def kafka_range(row: Row, n: int) -> Assignment:
    """Deal out as many places as there are partitions in turn, and fill them in ascending order."""
    places = sorted(i % n for i in range(len(row)))
    return [None if speed is None else place for speed, place in zip(row, places, strict=True)]


def consumers_used(assignment: Assignment) -> int:
    """Count the consumers that hold a partition."""
    return len({consumer for consumer in assignment if consumer is not None})


def migrated(before: Assignment, after: Assignment) -> list[int]:
    """List the partitions assigned in both iterations, to different consumers."""
    pairs = enumerate(zip(before, after, strict=True))
    return [j for j, (old, new) in pairs if old is not None and new is not None and old != new]


def migrations(assignments: Sequence[Assignment]) -> list[int]:
    """Count migrations per iteration; there are none at the first."""
    counts = [0]
    for k in range(1, len(assignments)):
        counts.append(len(migrated(assignments[k - 1], assignments[k])))
    return counts


def rscore(rows: Sequence[Row], assignments: Sequence[Assignment], capacity: float) -> list[float]:
    """Equation 11 per iteration: speed of the migrated partitions over the capacity."""
    scores = [0.0]
    for k in range(1, len(rows)):
        total = 0.0
        for partition in migrated(assignments[k - 1], assignments[k]):
            speed = rows[k][partition]
            assert speed is not None
            total += speed
        scores.append(total / capacity)
    return scores


def cbs(used: Sequence[int], fewest: Sequence[int]) -> float:
    """Equation 28: mean relative excess of consumers; an empty iteration has no excess."""
    total = 0.0
    for z, minimum in zip(used, fewest, strict=True):
        total += (z - minimum) / minimum if minimum else 0.0
    return total / len(used)


def fewest_consumers(
    rows: Sequence[Row], capacity: float, orders: Sequence[Sequence[int]]
) -> list[int]:
    """Per iteration, the fewest consumers that any of the paper's twelve algorithms uses."""
    per_algorithm = [
        [consumers_used(assignment) for assignment in assign(name, rows, capacity, orders)]
        for name in TWELVE
    ]
    return [min(counts) for counts in zip(*per_algorithm, strict=True)]


def walk(
    draws: Sequence[Sequence[float]],
    delta: float,
    capacity: float,
    initial_rate: float | None,
    clip: bool,
) -> list[list[float]]:
    """Equation 15 on given numbers from [0, 1), one per iteration and partition."""
    speeds = [number * capacity for number in draws[0]]
    if initial_rate is not None:
        speeds = [initial_rate / 100.0 * capacity for _ in draws[0]]
    result = [speeds]
    for numbers in draws[1:]:
        changes = [(2.0 * number - 1.0) * delta / 100.0 * capacity for number in numbers]
        speeds = [speed + change for speed, change in zip(speeds, changes, strict=True)]
        speeds = [max(speed, 0.0) for speed in speeds]
        if clip:
            speeds = [min(speed, capacity) for speed in speeds]
        result.append(speeds)
    return result
