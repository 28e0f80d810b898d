package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	v2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	scalefake "k8s.io/client-go/scale/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scaling/cache"
)

// Kubernetes' defaults of kube-controller-manager.
const (
	shrinkAfter = 5 * time.Minute
	tolerance   = 0.1
	cpuAfter    = 5 * time.Minute
	readyAfter  = 30 * time.Second
)

// Kubernetes' pod autoscaler, which scales one Deployment that is held in memory. Its API is in
// memory as well: nothing there fills in defaults.
type podAutoscaler struct {
	lock      sync.Mutex
	replicas  int32
	changes   []change
	reads     []read
	began     time.Time
	deploy    schema.GroupResource
	namespace string
	name      string
	client    *fake.Clientset
	end       context.CancelFunc
	source    *kedaMetrics
}

type change struct {
	AtS      float64 `json:"at_s"`
	Replicas int32   `json:"replicas"`
}

// A question of the pod autoscaler.
type read struct {
	AtS float64 `json:"at_s"`
	// The metric; nothing after an error.
	Value *float64 `json:"value"`
	// Before it decides.
	Replicas int32 `json:"replicas"`
}

type shown struct {
	Replicas int32    `json:"replicas"`
	Changes  []change `json:"changes"`
	Reads    []read   `json:"reads"`
	// Of the condition ScalingActive.
	Active  string `json:"active"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// KEDA's count of the metric's failures.
	Failures int32 `json:"failures"`
	// Notes of the pod autoscaler's own events.
	Notes []string `json:"notes"`
}

var scaling = map[string]*podAutoscaler{}

// scale starts a pod autoscaler as KEDA makes it for a ScaledObject with one trigger.
func scale(ctx context.Context, one *cache.ScalersCache, asked question) error {
	object := asked.Scaled
	if object == nil {
		return errors.New("there is no ScaledObject")
	}
	one.ScaledObject = object
	specs, err := one.GetMetricSpecForScalingForScaler(ctx, 0)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	own := &podAutoscaler{
		replicas:  asked.Replicas,
		began:     time.Now(),
		deploy:    schema.GroupResource{Group: appsv1.GroupName, Resource: "deployments"},
		namespace: object.Namespace,
		name:      "keda-hpa-" + object.Name,
		end:       end,
	}
	own.source = &kedaMetrics{ctx: ctx, one: one, own: own}
	own.client = fake.NewSimpleClientset(own.written(object, specs))
	own.run(ctx, time.Duration(asked.SyncS*float64(time.Second)))
	if asked.PollS > 0 {
		go own.source.poll(time.Duration(asked.PollS * float64(time.Second)))
	}
	scaling[asked.Key] = own
	return nil
}

func (p *podAutoscaler) written(
	object *kedav1alpha1.ScaledObject, specs []v2.MetricSpec,
) *v2.HorizontalPodAutoscaler {
	target := object.Spec.ScaleTargetRef
	for i := range specs {
		name := map[string]string{"scaledobject.keda.sh/name": object.Name}
		specs[i].External.Metric.Selector = &metav1.LabelSelector{MatchLabels: name}
	}
	return &v2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: p.name, Namespace: p.namespace},
		Spec: v2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: v2.CrossVersionObjectReference{
				APIVersion: "apps/v1", Kind: "Deployment", Name: target.Name,
			},
			MinReplicas: object.GetHPAMinReplicas(),
			MaxReplicas: object.GetHPAMaxReplicas(),
			Behavior:    behaviour(object),
			Metrics:     specs,
		},
	}
}

func behaviour(object *kedav1alpha1.ScaledObject) *v2.HorizontalPodAutoscalerBehavior {
	if object.Spec.Advanced == nil || object.Spec.Advanced.HorizontalPodAutoscalerConfig == nil {
		return nil
	}
	return object.Spec.Advanced.HorizontalPodAutoscalerConfig.Behavior
}

func (p *podAutoscaler) run(ctx context.Context, sync time.Duration) {
	mapper := apimeta.NewDefaultRESTMapper([]schema.GroupVersion{appsv1.SchemeGroupVersion})
	mapper.Add(appsv1.SchemeGroupVersion.WithKind("Deployment"), apimeta.RESTScopeNamespace)
	made := informers.NewSharedInformerFactory(p.client, 0)
	controller := podautoscaler.NewHorizontalController(
		ctx, p.client.CoreV1(), p.scales(), p.client.AutoscalingV2(), mapper, p.source,
		made.Autoscaling().V2().HorizontalPodAutoscalers(), made.Core().V1().Pods(),
		sync, shrinkAfter, tolerance, cpuAfter, readyAfter,
	)
	made.Start(ctx.Done())
	go controller.Run(ctx, 1)
}

// What reads and writes the replicas of the Deployment.
func (p *podAutoscaler) scales() *scalefake.FakeScaleClient {
	client := &scalefake.FakeScaleClient{}
	client.AddReactor("get", p.deploy.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		name := action.(clienttesting.GetAction).GetName()
		return true, p.scaleOf(name), nil
	})
	client.AddReactor("update", p.deploy.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		wanted := action.(clienttesting.UpdateAction).GetObject().(*autoscalingv1.Scale)
		p.set(wanted.Spec.Replicas)
		return true, wanted, nil
	})
	return client
}

func (p *podAutoscaler) scaleOf(name string) *autoscalingv1.Scale {
	p.lock.Lock()
	defer p.lock.Unlock()
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: p.replicas},
		Status:     autoscalingv1.ScaleStatus{Replicas: p.replicas, Selector: "app=" + name},
	}
}

func (p *podAutoscaler) set(replicas int32) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if replicas != p.replicas {
		p.replicas = replicas
		p.changes = append(p.changes, change{time.Since(p.began).Seconds(), replicas})
	}
}

func (p *podAutoscaler) note(one read) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.reads = append(p.reads, one)
}

func (p *podAutoscaler) present() int32 {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.replicas
}

func (p *podAutoscaler) show(ctx context.Context) (*shown, error) {
	object, err := p.client.AutoscalingV2().HorizontalPodAutoscalers(p.namespace).Get(
		ctx, p.name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	p.lock.Lock()
	found := &shown{
		Replicas: p.replicas,
		Changes:  append([]change{}, p.changes...),
		Reads:    append([]read{}, p.reads...),
	}
	p.lock.Unlock()
	for _, condition := range object.Status.Conditions {
		if condition.Type == v2.ScalingActive {
			found.Active, found.Reason = string(condition.Status), condition.Reason
			found.Message = condition.Message
		}
	}
	found.Failures = p.source.failures()
	events, err := p.client.CoreV1().Events(p.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, event := range events.Items {
		found.Notes = append(found.Notes, event.Reason+": "+event.Message)
	}
	return found, nil
}

// What KEDA's adapter and operator answer the pod autoscaler.
type kedaMetrics struct {
	ctx  context.Context
	one  *cache.ScalersCache
	own  *podAutoscaler
	lock sync.Mutex
	// Whether the last read failed.
	failed bool
}

var _ metricsclient.MetricsClient = &kedaMetrics{}

func (k *kedaMetrics) GetExternalMetric(
	name, _ string, _ labels.Selector,
) ([]int64, time.Time, error) {
	one := read{AtS: time.Since(k.own.began).Seconds(), Replicas: k.own.present()}
	every, err := k.read(name)
	if err == nil {
		var milli int64
		for _, value := range every {
			milli += value
		}
		value := float64(milli) / 1000
		one.Value = &value
	}
	k.own.note(one)
	return every, time.Now(), err
}

func (k *kedaMetrics) read(name string) ([]int64, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	every, _, err := metricsOf(k.ctx, k.one, name, k.own.present())
	k.failed = err != nil
	var milli []int64
	for _, value := range every {
		milli = append(milli, value.Value.MilliValue())
	}
	return milli, err
}

// poll asks for itself while reads fail, as KEDA's operator does.
func (k *kedaMetrics) poll(every time.Duration) {
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-time.After(every):
		}
		k.lock.Lock()
		failed := k.failed
		specs, err := k.one.GetMetricSpecForScalingForScaler(k.ctx, 0)
		k.lock.Unlock()
		if failed && err == nil && len(specs) == 1 {
			k.read(specs[0].External.Metric.Name)
		}
	}
}

func (k *kedaMetrics) failures() int32 {
	k.lock.Lock()
	defer k.lock.Unlock()
	var most int32
	for _, health := range k.one.ScaledObject.Status.Health {
		if health.NumberOfFailures != nil {
			most = max(most, *health.NumberOfFailures)
		}
	}
	return most
}

var errNoMetric = errors.New("KEDA has external metrics alone")

func (*kedaMetrics) GetResourceMetric(
	context.Context, corev1.ResourceName, string, labels.Selector, string,
) (metricsclient.PodMetricsInfo, time.Time, error) {
	return nil, time.Time{}, errNoMetric
}

func (*kedaMetrics) GetRawMetric(
	string, string, labels.Selector, labels.Selector,
) (metricsclient.PodMetricsInfo, time.Time, error) {
	return nil, time.Time{}, errNoMetric
}

func (*kedaMetrics) GetObjectMetric(
	string, string, *v2.CrossVersionObjectReference, labels.Selector,
) (int64, time.Time, error) {
	return 0, time.Time{}, errNoMetric
}

// scaled answers questions about the pod autoscaler of a trigger.
func scaled(ctx context.Context, asked question) (answer, error) {
	own, ok := scaling[asked.Key]
	if !ok {
		return answer{}, fmt.Errorf("%q is not scaled", asked.Key)
	}
	if asked.Do == "unscale" {
		own.end()
		delete(scaling, asked.Key)
		return answer{}, nil
	}
	found, err := own.show(ctx)
	return answer{Shown: found}, err
}
