"""KEDA's own code, with which `make keda-test` asks the scaler."""
