"""Sticky repair, ``SR_g``: the last assignment is kept and mended, at a price of a consumer.

`run` has the public function and the loop over iterations; `mend` one iteration: `evict` ends
overloads, `place` finds places, `close` closes consumers, `recall` and `refit` bring partitions
home, and `repack` packs parts anew. `risk` says what an assignment is expected to cost
at the next iteration, from the changes that `volatility` has seen.
"""
