"""Wrong inputs of experiments on autoscaling, `simulate` and `recommend`, each with a name."""

from __future__ import annotations

from collections.abc import Sequence

EXPERIMENTS: dict[str, Sequence[str]] = {
    "a key of the other family": ("deltas=5",),
    "a consumer that serves nothing": ("mu=0",),
    "a negative time": ("rebalance_s=-1",),
    "an unknown profile": ("profile=square",),
    "an unknown protocol": ("protocol=lazy",),
    "an unknown assignor": ("assignor=lazy",),
    "a low rate above the high one": ("low=0.9", "high=0.5"),
    "too few partitions for a skew": ("partitions=2", "split=skew"),
    "more replicas than partitions": ("min_replicas=10",),
    "fewer replicas at the start than at least": ("min_replicas=2",),
    "partitions that the preset's strategies do not fit": ("partitions=5",),
    "a recorded file that is not named": ("profile=trace",),
    "a setting of recorded files": ("last_rate=5",),
    "a decision after its step": ("decision_offset_s=1",),
    "an unknown strategy": ("strategies=foo",),
    "a strategy twice": ("strategies=linear,headroom,linear",),
    "a parameter of no strategy": ("strategies=linear:foo=1",),
    "a parameter out of range": ("strategies=linear:f_up=2",),
    "parameters that disagree": ("strategies=linear:f_down=0.8:f_up=0.5",),
    "a window of too few scrapes": ("strategies=keda_prometheus:scrape_s=60",),
    "a time between decisions that does not fit": ("strategies=linear:decision_s=1.5",),
    "a parameter of the workload": ("strategies=linear:step_s=2",),
    "a strategy in another form": ("strategies=headroom:sweep:h=1",),
    "a part of a sweep without candidates": ("strategies=headroom:sweep=0",),
    "too many simulations": ("replicates=100000", "strategies=all:sweep"),
    "a strategy with more replicas than allowed": ("strategies=constant:initial_replicas=10",),
}
"""Settings of preset `autoscaling-smoke`."""

FILES = {
    "an unknown family": "family: planning\nexperiments:\n  a:\n    partitions: 4\n",
    "a family that is not the preset's": "preset: smoke\nfamily: autoscaling\n",
    "a wrong strategy": (
        "family: autoscaling\nexperiments:\n  a:\n    partitions: 4\n"
        "    strategies: [headroom, 'keda_hpa:threshold=0']\n"
    ),
    "settings that disagree in one experiment": (
        "family: autoscaling\nlow: 0.5\nexperiments:\n  a:\n    high: 0.4\n  b:\n    high: 0.6\n"
    ),
}
"""Contents of configuration files."""

SIMULATIONS: dict[str, Sequence[str]] = {
    "a missing file": ("none.csv",),
    "an unknown strategy": ("steady", "--strategy", "foo"),
    "an unknown parameter": ("steady", "--strategy", "linear:foo=1"),
    "a parameter without a value": ("steady", "--strategy", "linear:f_up"),
    "a parameter out of range": ("steady", "--strategy", "linear:f_up=2"),
    "a step of one strategy": ("steady", "--strategy", "linear:step_s=2"),
    "a window of too few scrapes": ("steady", "--strategy", "keda_prometheus:window_s=119"),
    "time lags that disagree": ("steady", "--strategy", "time_threshold:out_s=5"),
    "a time lag of nothing": ("steady", "--strategy", "keda_time_lag:target_s=0"),
    "the present, by time lag": ("steady", "--strategy", "keda_time_lag:observe=now"),
    "a form that is deployed already": ("steady", "--strategy", "keda_http:keda_prometheus"),
    "a wrong format": ("steady", "--format", "xml"),
    "a wrong split": ("steady", "--split", "hot"),
    "weights of other partitions": ("steady", "--partitions", "3", "--split", "2,1"),
    "too few partitions for a skew": ("steady", "--partitions", "2", "--split", "skew"),
    "no partitions": ("steady", "--partitions", "0"),
    "an unknown setting": ("steady", "--set", "foo=1"),
    "no value": ("steady", "--set", "mu"),
    "a setting out of range": ("steady", "--set", "mu=0"),
    "a text for a number": ("steady", "--set", "wsla_s=soon"),
    "an unknown protocol": ("steady", "--set", "protocol=lazy"),
    "an unknown assignor": ("steady", "--set", "assignor=lazy"),
    "a time between decisions that does not fit": ("steady", "--set", "decision_s=1.5"),
    "more replicas than allowed": ("steady", "--set", "initial_replicas=10"),
    "a low rate above the high one": ("steady", "--set", "low=5", "--set", "high=4"),
    "too many steps": ("steady", "--set", "steps=1000001"),
    "too many rates": ("steady", "--partitions", "100000"),
    "a total without partitions": ("{t.csv}",),
    "a setting of a profile": ("{t.csv}", "--partitions", "2", "--set", "steps=5"),
    "a split of partitions": ("{w.csv}", "--partitions", "3"),
    "a wrong step": ("{w.csv}", "--set", "step_s=0"),
    "too many strategies in a picture": ("steady", "--plot", "{a.svg}"),
    "another kind of picture": ("steady", "--strategy", "linear", "--plot", "{a.pdf}"),
    "a picture in no folder": ("steady", "--strategy", "linear", "--plot", "{none/a.svg}"),
    "an unknown event": ("steady", "--event", "otage@1h"),
    "an event of too many replicas": ("steady", "--event", "restart@1h:surge=200%"),
    "an event after the end": ("steady", "--event", "crash@3h"),
    "an event by a clock that there is not": ("steady", "--event", "restart@daily@12:00"),
    "an outage that ends too late": ("steady", "--event", "outage@119m:15m"),
    "an outage that loses events": ("steady", "--event", "outage:15m", "--retention", "10m"),
    "an unknown way of being blind": ("steady", "--event", "blind@1h:10m,kind=dark"),
    "two blind times at once": ("steady", "--event", "blind@1h:10m", "--event", "blind@65m:1m"),
    "a share of nothing": ("steady", "--event", "spot@1h:share=0"),
    "restarts at one time": ("steady", "--event", "restart@1h", "--event", "restart@60m"),
    "a retention of nothing": ("steady", "--event", "crash", "--retention", "0"),
}
"""Words after `simulate`."""

RATE, GOAL = ("--mu", "200"), ("--slo", "99%@0.5s")
RECOMMENDATIONS: dict[str, Sequence[str]] = {
    "no objective": RATE,
    "an objective in another form": (*RATE, "--slo", "0.99@0.5s"),
    "a share above 100 %": (*RATE, "--slo", "101%@0.5s"),
    "a latency of nothing": (*RATE, "--slo", "99%@0s"),
    "a latency below that of an event": (*RATE, "--slo", "99%@2ms"),
    "a consumer that serves nothing": ("--mu", "0", *GOAL),
    "a negative price": (*RATE, *GOAL, "--late-cost", "-1"),
    "no price": (*RATE, *GOAL, "--replica-cost", "0"),
    "a certain week": (*RATE, *GOAL, "--confidence", "1"),
    "a saving below nothing": (*RATE, *GOAL, "--worth", "-1"),
    "days that cannot differ": (*RATE, *GOAL, "--day-spread", "0"),
    "no number of variation": (*RATE, *GOAL, "--within-step", "nan"),
    "a group without replicas": (*RATE, *GOAL, "--today", "0"),
    "a change of nothing": (*RATE, *GOAL, "--what-if", "load"),
    "an unknown change": (*RATE, *GOAL, "--what-if", "heat=2"),
    "a load of nothing": (*RATE, *GOAL, "--what-if", "load=0"),
    "part of a partition": (*RATE, *GOAL, "--partitions", "8", "--what-if", "partitions=12"),
    "a setting with its own option": (*RATE, *GOAL, "--set", "wsla_s=1"),
    "a protocol alone": (*RATE, *GOAL, "--set", "protocol=eager"),
    "a protocol of another assignor": (
        *(*RATE, *GOAL, "--set", "assignor=sticky"),
        *("--set", "protocol=cooperative"),
    ),
    "a parameter that is the same for all": (*RATE, *GOAL, "--strategy", "linear:mu=300"),
    "a name that Kubernetes refuses": (*RATE, *GOAL, "--deployment", "My_Reader"),
    "a KEDA without what the files need": (*RATE, *GOAL, "--keda", "2.16"),
    "a version that is a word": (*RATE, *GOAL, "--kubernetes", "latest"),
    "a server without a port": (*RATE, *GOAL, "--bootstrap-servers", "kafka"),
    "a Prometheus with a login": (*RATE, *GOAL, "--prometheus", "http://me:secret@p:9090"),
    "an outage that loses events": (*RATE, *GOAL, "--outage", "15m", "--retention", "10m"),
    "an unknown event to survive": (*RATE, *GOAL, "--survive", "blind"),
    "an outage to survive without a time": (*RATE, *GOAL, "--survive", "crash,outage=15m"),
    "a spot price above the other": (*RATE, *GOAL, "--spot-price", "2"),
    "a spot price in another currency": (*RATE, *GOAL, "--spot-price", "0.5EUR"),
    "a share of spot instances above 1": (*RATE, *GOAL, "--spot-price", "0.5@3"),
    "an outage of no length": (*RATE, *GOAL, "--outage", "soon"),
    "an exporter without end offsets": (*RATE, *GOAL, "--exporter", "node_exporter"),
    "a folder in a folder that does not exist": (*RATE, *GOAL, "--output", "/proc/none/deploy"),
}
"""Words after `recommend` and its workload."""
