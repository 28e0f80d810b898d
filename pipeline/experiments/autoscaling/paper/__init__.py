"""Figures that other authors publish on autoscaling, compared with ours."""
