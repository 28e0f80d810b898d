"""Sticky repair, ``SR_g``: the last assignment is kept and repaired, at a price per consumer.

`sticky_repair` has the public function and the step, `repair_iteration` the parts of one iteration:
`evict` ends overloads, `place` finds places, `close` closes consumers, `polish`, `recall` and
`refit` return partitions home, and `repack` repacks parts. `risk` estimates what an assignment
costs in the next iteration, from the changes that `volatility` measures.
"""
