"""Who owns which partition of a plainly simulated group: the assignor, and a drawn history."""

from __future__ import annotations

from math import floor

import numpy as np

from algorithms.assignment import assignors
from tests.algorithms.simulation.plain_state import State


class Owners(State):
    """An assignor places the partitions."""

    def first_owners(self) -> list[int]:
        """Owners at time 0: of a drawn history, after all have joined and been replaced."""
        everybody = self.members
        if not self.history.shuffled:
            return self.placed([-1] * self.p)
        owners = [-1] * self.p
        for m in everybody:
            self.history.enrol(m)
            self.members = everybody[: m + 1]
            owners = self.placed(owners)
        for m in everybody:
            self.members = [other for other in everybody if other != m]
            owners = self.placed([-1 if owner == m else owner for owner in owners])
            self.history.enrol(m)
            self.members = everybody
            owners = self.placed(owners)
        return owners

    def placed(self, owners: list[int]) -> list[int]:
        """Owners by the assignor, repeated until no partition is withheld."""
        if not self.members:
            return [-1] * self.p
        lags = [float(floor(round(lag, 6))) for lag in self.lags]
        order = self.history.order(self.members)
        ids = {m: order.index(m) if self.history.shuffled else m for m in order}
        present = [ids.get(owner, -1) for owner in owners]
        while True:
            after = assignors.assign(
                self.setup.assignor, self.p, list(ids.values()), np.array(present), np.array(lags)
            ).tolist()
            if -1 not in after:
                names = {number: m for m, number in ids.items()}
                return [names[number] for number in after]
            present = after
