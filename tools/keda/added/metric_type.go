package scalers

import v2 "k8s.io/api/autoscaling/v2"

// One of the triggers that are left out declares it.
const externalMetricType v2.MetricSourceType = "External"
