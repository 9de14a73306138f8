package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

const (
	loopback  = "127.0.0.1"
	startTime = 2 * time.Minute
)

type served struct {
	Folder string `json:"folder"`
	URL    string `json:"url"`
}

// serve runs a cluster, and calls ready with where it is, until the standard input ends or a signal comes.
func serve(ready func(served) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	folder, err := os.MkdirTemp("", "virtcatalog-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	storage, err := startEtcd(filepath.Join(folder, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer storage.Close()
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return err
	}
	place := served{Folder: folder, URL: "https://" + listener.Addr().String()}
	token, err := writeIdentity(place)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- serveAPI(ctx, folder, listener, storage.Clients[0].Addr().String()) }()
	if err := await(ctx, place, token, ended); err != nil {
		return err
	}
	if err := ready(place); err != nil {
		return err
	}
	return <-ended
}

// startEtcd starts the storage. What it keeps need not outlive it, so nothing is synced to the disk.
func startEtcd(folder string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	anyPort := []url.URL{{Scheme: "http", Host: net.JoinHostPort(loopback, "0")}}
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case <-time.After(startTime):
		etcd.Close()
		return nil, errors.New("is not ready in time")
	}
}

// writeIdentity writes a certificate with its authority, the token of an administrator, and a kubeconfig of both.
func writeIdentity(place served) (string, error) {
	chain, key, err := cert.GenerateSelfSignedCertKey(loopback, []net.IP{net.ParseIP(loopback)}, []string{"localhost"})
	if err != nil {
		return "", err
	}
	token := rand.Text()
	config := clientcmdapi.NewConfig()
	config.Clusters["virtcatalog"] = &clientcmdapi.Cluster{Server: place.URL, CertificateAuthorityData: chain}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["virtcatalog"] = &clientcmdapi.Context{Cluster: "virtcatalog", AuthInfo: "admin"}
	config.CurrentContext = "virtcatalog"
	kubeconfig, err := clientcmd.Write(*config)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{
		"ca.crt":     chain,
		"tls.crt":    chain,
		"tls.key":    key,
		"token":      []byte(token),
		"tokens.csv": fmt.Appendf(nil, "%s,admin,admin,system:masters\n", token),
		"kubeconfig": kubeconfig,
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(place.Folder, name), content, 0o600); err != nil {
			return "", err
		}
	}
	return token, nil
}

func serveAPI(ctx context.Context, folder string, listener net.Listener, etcd string) error {
	server := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range server.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := flags.Parse([]string{
		"--etcd-servers=http://" + etcd,
		"--tls-cert-file=" + in("tls.crt"),
		"--tls-private-key-file=" + in("tls.key"),
		"--token-auth-file=" + in("tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + in("tls.key"),
		"--service-account-signing-key-file=" + in("tls.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		// No controller makes accounts, or takes off finalizers.
		"--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",
		"--profiling=false",
	}); err != nil {
		return err
	}
	server.SecureServing.Listener = listener
	server.SecureServing.BindAddress = net.ParseIP(loopback)
	server.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	server.SecureServing.ExternalAddress = net.ParseIP(loopback)
	if err := server.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	completed, err := server.Complete(ctx)
	if err != nil {
		return err
	}
	if faults := completed.Validate(); len(faults) != 0 {
		return utilerrors.NewAggregate(faults)
	}
	return app.Run(ctx, completed)
}

// await returns when the API server says that it is ready, or why it will not be.
func await(ctx context.Context, place served, token string, ended <-chan error) error {
	client, err := rest.HTTPClientFor(&rest.Config{
		Host:            place.URL,
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(place.Folder, "ca.crt")},
		Timeout:         time.Second,
	})
	if err != nil {
		return err
	}
	late := time.After(startTime)
	for {
		if answer, err := client.Get(place.URL + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("the API server ended before it was ready")
			}
			return err
		case <-ctx.Done():
			return errors.New("stopped before the API server was ready")
		case <-late:
			return errors.New("the API server is not ready in time")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
