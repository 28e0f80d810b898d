"""The recorded stream that the paper's latencies are from, recognised by its digest."""

RECORDED_DIGEST = "477a85ba03979ff98167baac398f09039cfdb00f6faa1e1fbd532031d8ba370a"
"""Digest, as in table `streams`, of the recorded stream that Section VI-C was made from.

It is that of ``src/controller/test/monitor_sequence/measurements_5`` in
github.com/landaudiogo/kafka-consumer-group-autoscaler at commit c58cb5c.
"""
