"""Settings shared by all tests."""

from hypothesis import HealthCheck, settings

# Compiling a kernel happens inside the first example of a test, so no example has a deadline. The
# examples derive from the test's own source: a run fails on every machine, or on none.
settings.register_profile(
    "groupscale",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("groupscale")
