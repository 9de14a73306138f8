// cluster is a Kubernetes API server with its etcd, in one process, on the loopback address, with all that it writes in a
// temporary folder; and the maker of KubeVirt's CustomResourceDefinitions.
//
//	cluster serve         serves until its standard input ends or a signal comes; when it is ready it prints a line of
//	                      JSON, {"folder": …, "url": …}: ca.crt, tls.crt, tls.key, token and kubeconfig are in the folder
//	cluster crds FOLDER   prints the CustomResourceDefinitions of the Go packages that the package in FOLDER imports
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "serve":
		return serve(func(place served) error { return json.NewEncoder(os.Stdout).Encode(place) })
	case len(arguments) == 2 && arguments[0] == "crds":
		definitions, err := definitions(arguments[1])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(definitions)
	}
	return fmt.Errorf("usage: cluster serve | cluster crds FOLDER")
}
