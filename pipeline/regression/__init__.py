"""Whether a run found something other than its baseline.

`history` knows which runs there are, `baseline` which of them a run is compared with, `results`
what two runs found and `verdicts` what to make of it. `source` reads the tables, with Spark or
without; `record` says what was found out about a run, `promote` accepts one; `words` shows all
that. Nothing here writes but `promote`.
"""
