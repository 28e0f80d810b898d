"""``groupscale scaler``: says over HTTP how many replicas groups need, for KEDA's `metrics-api`."""
