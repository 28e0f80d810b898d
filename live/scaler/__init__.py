"""``groupscale scaler``: tells KEDA over HTTP and gRPC how many replicas groups need."""
