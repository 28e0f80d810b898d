// Package resolver has what the fallback needs of it: KEDA's own asks a cluster.
package resolver

import (
	"context"

	"k8s.io/client-go/scale"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

// Replicas of the target.
var Replicas int32

// GetCurrentReplicas tells the replicas of the target.
func GetCurrentReplicas(
	context.Context, client.Client, scale.ScalesGetter, *kedav1alpha1.ScaledObject,
) (int32, error) {
	return Replicas, nil
}
