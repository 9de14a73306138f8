// What Argo CD extracts of an artifact, as its repo-server is configured by default: ocipull REFERENCE REVISION USER PASSWORD CA
//
// It prints the folder that it leaves behind.
package main

import (
	"context"
	"fmt"
	"os"

	utilio "github.com/argoproj/argo-cd/v3/util/io"
	"github.com/argoproj/argo-cd/v3/util/oci"
)

// The defaults of --oci-layer-media-types and of ARGOCD_REPO_SERVER_OCI_MANIFEST_MAX_EXTRACTED_SIZE.
var layers = []string{
	"application/vnd.oci.image.layer.v1.tar",
	"application/vnd.oci.image.layer.v1.tar+gzip",
	"application/vnd.cncf.helm.chart.content.v1.tar+gzip",
}

const largest = 1 << 30

func main() {
	if err := pull(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pull(ctx context.Context, arguments []string) error {
	if len(arguments) != 5 {
		return fmt.Errorf("usage: ocipull REFERENCE REVISION USER PASSWORD CA")
	}
	cache, err := os.MkdirTemp("", "argocd-oci-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	credentials := oci.Creds{Username: arguments[2], Password: arguments[3], CAPath: arguments[4]}
	client, err := oci.NewClient(arguments[0], credentials, "", "", layers,
		oci.WithImagePaths(utilio.NewRandomizedTempPaths(cache)),
		oci.WithManifestMaxExtractedSize(largest))
	if err != nil {
		return err
	}
	digest, err := client.ResolveRevision(ctx, arguments[1], true)
	if err != nil {
		return err
	}
	folder, _, err := client.Extract(ctx, digest)
	if err != nil {
		return err
	}
	fmt.Println(folder)
	return nil
}
