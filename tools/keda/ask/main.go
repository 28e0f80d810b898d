// Asks a scaler as KEDA's operator does, with KEDA's own code: a question as JSON on each line of
// standard input, its answer on standard output. Standard error has KEDA's log.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr/funcr"
	v2 "k8s.io/api/autoscaling/v2"
	"k8s.io/metrics/pkg/apis/external_metrics"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/fallback"
	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	"github.com/kedacore/keda/v2/pkg/scaling/cache"
	"github.com/kedacore/keda/v2/pkg/scaling/modifiers"
	"github.com/kedacore/keda/v2/pkg/scaling/resolver"
)

// The operator's own limit.
const httpTimeout = 3 * time.Second

const pushTimeout = 30 * time.Second

type trigger struct {
	Type      string            `json:"type"`
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	Metadata  map[string]string `json:"metadata"`
	Auth      map[string]string `json:"auth"`
}

type question struct {
	Do      string  `json:"do"`
	Key     string  `json:"key"`
	Metric  string  `json:"metric"`
	Trigger trigger `json:"trigger"`
	// Of scalingModifiers with target 1; the trigger's name in it is m.
	Formula string `json:"formula"`
	// Of the ScaledObject, as its manifest has it.
	Fallback *kedav1alpha1.Fallback `json:"fallback"`
	// Replicas that the target has.
	Replicas int32 `json:"replicas"`
	// The ScaledObject of the trigger, and seconds between syncs of the pod autoscaler and between
	// polls of KEDA.
	Scaled *kedav1alpha1.ScaledObject `json:"scaled"`
	SyncS  float64                    `json:"sync_s"`
	PollS  float64                    `json:"poll_s"`
}

type metric struct {
	Name  string  `json:"name"`
	Type  string  `json:"type,omitempty"`
	Value float64 `json:"value"`
}

type answer struct {
	Metrics []metric `json:"metrics"`
	Active  bool     `json:"active"`
	Error   string   `json:"error"`
	Shown   *shown   `json:"shown,omitempty"`
}

// What KEDA would have of one trigger: it builds a scaler again after each error.
var opened = map[string]*cache.ScalersCache{}

func main() {
	logf.SetLogger(funcr.New(func(prefix, said string) {
		fmt.Fprintln(os.Stderr, prefix, said)
	}, funcr.Options{}))
	questions, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked question
		if err := questions.Decode(&asked); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		found, err := answered(context.Background(), asked)
		if err != nil {
			found.Error = err.Error()
		}
		if err := answers.Encode(found); err != nil {
			panic(err)
		}
	}
}

func answered(ctx context.Context, asked question) (answer, error) {
	if asked.Do == "open" {
		return answer{}, open(ctx, asked)
	}
	one, ok := opened[asked.Key]
	if !ok {
		return answer{}, fmt.Errorf("%q is not open", asked.Key)
	}
	switch asked.Do {
	case "scale":
		return answer{}, scale(ctx, one, asked)
	case "scaled", "unscale":
		return scaled(ctx, asked)
	case "specs":
		return specs(ctx, one)
	case "metrics":
		return metrics(ctx, one, asked.Metric)
	case "synced":
		return synced(ctx, one, asked)
	case "pushed":
		return pushed(ctx, one)
	case "close":
		delete(opened, asked.Key)
		one.Close(ctx)
		return answer{}, nil
	}
	return answer{}, fmt.Errorf("%q is no question", asked.Do)
}

func open(ctx context.Context, asked question) error {
	factory := asked.Trigger.scaler
	scaler, config, err := factory(ctx)
	if err != nil {
		return err
	}
	one := &cache.ScalersCache{Scalers: []cache.ScalerBuilder{
		{Scaler: scaler, ScalerConfig: *config, Factory: factory},
	}}
	one.ScaledObject = &kedav1alpha1.ScaledObject{
		Spec: kedav1alpha1.ScaledObjectSpec{Fallback: asked.Fallback},
	}
	if asked.Formula != "" {
		modify(one.ScaledObject, asked.Formula)
		one.CompiledFormula, err = kedav1alpha1.ValidateAndCompileScalingModifiers(one.ScaledObject)
		if err != nil {
			return err
		}
	}
	opened[asked.Key] = one
	return nil
}

func modify(object *kedav1alpha1.ScaledObject, formula string) {
	object.Spec.Triggers = []kedav1alpha1.ScaleTriggers{{Name: "m"}}
	object.Spec.Advanced = &kedav1alpha1.AdvancedConfig{
		ScalingModifiers: kedav1alpha1.ScalingModifiers{
			Formula: formula, Target: "1", MetricType: v2.AverageValueMetricType,
		},
	}
}

func (t trigger) scaler(context.Context) (scalers.Scaler, *scalersconfig.ScalerConfig, error) {
	config := &scalersconfig.ScalerConfig{
		ScalableObjectName:      t.Name,
		ScalableObjectNamespace: t.Namespace,
		ScalableObjectType:      "ScaledObject",
		GlobalHTTPTimeout:       httpTimeout,
		TriggerType:             t.Type,
		TriggerMetadata:         t.Metadata,
		AuthParams:              t.Auth,
		MetricType:              v2.AverageValueMetricType,
	}
	var scaler scalers.Scaler
	var err error
	switch t.Type {
	case "metrics-api":
		scaler, err = scalers.NewMetricsAPIScaler(config, nil)
	case "prometheus":
		scaler, err = scalers.NewPrometheusScaler(config)
	case "external":
		scaler, err = scalers.NewExternalScaler(config)
	case "external-push":
		scaler, err = scalers.NewExternalPushScaler(config)
	default:
		err = fmt.Errorf("%q is no type", t.Type)
	}
	return scaler, config, err
}

func specs(ctx context.Context, one *cache.ScalersCache) (answer, error) {
	every, err := one.GetMetricSpecForScalingForScaler(ctx, 0)
	found := answer{}
	for _, spec := range every {
		target := spec.External.Target
		found.Metrics = append(found.Metrics, metric{
			Name:  spec.External.Metric.Name,
			Type:  string(target.Type),
			Value: target.AverageValue.AsApproximateFloat64(),
		})
	}
	return found, err
}

func metrics(ctx context.Context, one *cache.ScalersCache, name string) (answer, error) {
	every, active, _, err := one.GetMetricsAndActivityForScaler(ctx, 0, name)
	if err == nil {
		every = modifiers.HandleScalingModifiers(
			one.ScaledObject, every, map[string]string{name: "m"}, false, nil, one, logf.Log)
	}
	return values(every, active), err
}

func values(every []external_metrics.ExternalMetricValue, active bool) answer {
	found := answer{Active: active}
	for _, value := range every {
		found.Metrics = append(found.Metrics, metric{
			Name:  value.MetricName,
			Value: value.Value.AsApproximateFloat64(),
		})
	}
	return found
}

// A sync of a pod autoscaler whose target has so many replicas.
func synced(ctx context.Context, one *cache.ScalersCache, asked question) (answer, error) {
	every, active, err := metricsOf(ctx, one, asked.Metric, asked.Replicas)
	return values(every, active), err
}

var reading sync.Mutex

// KEDA asks for the target first, and has no fallback without one.
func metricsOf(
	ctx context.Context, one *cache.ScalersCache, name string, replicas int32,
) ([]external_metrics.ExternalMetricValue, bool, error) {
	// The replicas that KEDA looks up are one variable here.
	reading.Lock()
	defer reading.Unlock()
	specs, err := one.GetMetricSpecForScalingForScaler(ctx, 0)
	if err != nil {
		return nil, false, err
	}
	every, active, _, err := one.GetMetricsAndActivityForScaler(ctx, 0, name)
	resolver.Replicas = replicas
	every, _, err = fallback.GetMetricsWithFallback(fallback.ScaledObjectHandler{
		Ctx:          ctx,
		KubeClient:   noCluster{},
		UpdateLock:   &sync.RWMutex{},
		ScaledObject: one.ScaledObject,
	}, every, err, name, specs[0])
	return every, active, err
}

// Takes the status, with the number of failures, which stays in our ScaledObject.
type noCluster struct{ client.Client }

type noStatus struct{ client.SubResourceWriter }

func (noCluster) Status() client.SubResourceWriter { return noStatus{} }

func (noStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

// The first activity that the server sends by itself.
func pushed(ctx context.Context, one *cache.ScalersCache) (answer, error) {
	every := one.GetPushScalers()
	if len(every) != 1 {
		return answer{}, errors.New("the trigger is not pushed to")
	}
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	active := make(chan bool)
	go every[0].Scaler.Run(ctx, active)
	select {
	case is := <-active:
		return answer{Active: is}, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}
