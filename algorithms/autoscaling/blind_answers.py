"""What our scaler and KEDA do while a group cannot be seen: the numbers of their rules."""

from __future__ import annotations

HOUR_S = 3600.0
"""Time for which the greatest count holds while the scaler is blind for long, seconds."""

BLIND_S = 60.0
"""Time without a look after which it holds, by default, seconds."""

LATE_LOOKS = 2.5
"""Looks after which the scaler does not see the group any more, also if a look never returns."""

POLLING_S = 30.0
"""KEDA's ``pollingInterval``, seconds."""

FAILURE_THRESHOLD = 8
"""KEDA's ``fallback.failureThreshold``: with `POLLING_S` and syncs every 15 s, the fallback starts
after about 90 s, so that neither a start of the scaler nor its move to another node sets it off."""
