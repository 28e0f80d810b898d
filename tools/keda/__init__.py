"""KEDA's own code, and a control plane for it, which tests build."""
