"""Whether the results of a run differ from its baseline's.

`baseline_candidates` lists the runs, `baseline` chooses the one that a run is compared with,
`compared_results` reads the values of two runs, and `gate_rule` compares them. `outcome` holds the
result, `comparison_text` formats it, and `promote` accepts a run. Only `promote` writes.
"""
