// The parts of a Kubernetes control plane in one program: its first argument names one of them.
package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("the first argument names a part"))
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		fail(etcd(os.Args[1:]))
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(manager.NewControllerManagerCommand()))
	default:
		fail(fmt.Errorf("%q is no part", part))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// Serves until SIGTERM. Arguments: a folder for the data, an address for clients and one for peers.
func etcd(arguments []string) error {
	if len(arguments) != 3 {
		return fmt.Errorf("etcd takes a folder and two addresses (got %q)", arguments)
	}
	clients, err := url.Parse(arguments[1])
	if err != nil {
		return err
	}
	peers, err := url.Parse(arguments[2])
	if err != nil {
		return err
	}
	own := embed.NewConfig()
	own.Dir = arguments[0]
	// The data need not survive the machine.
	own.UnsafeNoFsync = true
	own.ListenClientUrls, own.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	own.ListenPeerUrls, own.AdvertisePeerUrls = []url.URL{*peers}, []url.URL{*peers}
	own.InitialCluster = own.InitialClusterFromName(own.Name)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	server, err := embed.StartEtcd(own)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case <-ended:
		return nil
	case err := <-server.Err():
		return err
	}
}
