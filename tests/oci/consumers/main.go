// What Flux and cosign make of an artifact: their own code, asked by tests.
//
//	consumers flux-pull REFERENCE FOLDER          extracts it as `flux pull artifact` does, and prints what it says of itself
//	consumers verify REFERENCE KEY                verifies bundles as source-controller does for spec.verify
//	consumers verify-simple REFERENCE KEY         verifies the signature of the tag sha256-….sig, as cosign 2 does
//	consumers verify-identity REFERENCE TRUSTED-ROOT ISSUER SUBJECT    the same, with spec.verify's matchOIDCIdentity
//	consumers attestations REFERENCE KEY          prints the statements of verified bundles, a line each
//	consumers encrypt FILE                        writes a new key pair of cosign's, FILE.key and FILE.pub
//
// Credentials are those of docker's config, the password of a key that of COSIGN_PASSWORD.
package main

import (
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/oci"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/sigstore/cosign/v3/pkg/cosign"
	signed "github.com/sigstore/cosign/v3/pkg/oci"
	ociremote "github.com/sigstore/cosign/v3/pkg/oci/remote"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	switch {
	case len(arguments) == 3 && arguments[0] == "flux-pull":
		return pull(ctx, arguments[1], arguments[2])
	case len(arguments) == 3 && arguments[0] == "verify":
		_, err := verify(ctx, arguments[1], arguments[2], true)
		return err
	case len(arguments) == 3 && arguments[0] == "verify-simple":
		_, err := verify(ctx, arguments[1], arguments[2], false)
		return err
	case len(arguments) == 5 && arguments[0] == "verify-identity":
		return verifyIdentity(ctx, arguments[1], arguments[2], arguments[3], arguments[4])
	case len(arguments) == 3 && arguments[0] == "attestations":
		return attestations(ctx, arguments[1], arguments[2])
	case len(arguments) == 2 && arguments[0] == "encrypt":
		return encrypt(arguments[1])
	}
	return errors.New("see main.go for what can be asked")
}

func pull(ctx context.Context, reference, folder string) error {
	client := oci.NewClient([]crane.Option{crane.WithAuthFromKeychain(authn.DefaultKeychain)})
	metadata, err := client.Pull(ctx, reference, folder)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(metadata)
}

// verify is what source-controller's CosignVerifier does with a public key.
func verify(ctx context.Context, reference, file string, bundles bool) ([]signed.Signature, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(pem)
	if err != nil {
		return nil, err
	}
	verifier, err := signature.LoadVerifier(key, crypto.SHA256)
	if err != nil {
		return nil, err
	}
	options := &cosign.CheckOpts{
		Offline:            true,
		IgnoreTlog:         true,
		NewBundleFormat:    bundles,
		SigVerifier:        verifier,
		RegistryClientOpts: registry(),
	}
	var found []signed.Signature
	if bundles {
		found, _, err = cosign.VerifyImageAttestations(ctx, ref, options)
	} else {
		options.ClaimVerifier = cosign.SimpleClaimVerifier
		found, _, err = cosign.VerifyImageSignatures(ctx, ref, options)
	}
	if err == nil && len(found) == 0 {
		err = errors.New("nothing is verified")
	}
	return found, err
}

// verifyIdentity is what source-controller's CosignVerifier does with a trusted root and an identity.
func verifyIdentity(ctx context.Context, reference, file, issuer, subject string) error {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	trusted, err := root.NewTrustedRootFromJSON(content)
	if err != nil {
		return err
	}
	found, _, err := cosign.VerifyImageAttestations(ctx, ref, &cosign.CheckOpts{
		Offline:            true,
		NewBundleFormat:    true,
		TrustedMaterial:    trusted,
		Identities:         []cosign.Identity{{IssuerRegExp: issuer, SubjectRegExp: subject}},
		RegistryClientOpts: registry(),
	})
	if err == nil && len(found) == 0 {
		err = errors.New("nothing is verified")
	}
	return err
}

func registry() []ociremote.Option {
	return []ociremote.Option{ociremote.WithRemoteOptions(remote.WithAuthFromKeychain(authn.DefaultKeychain))}
}

func attestations(ctx context.Context, reference, file string) error {
	found, err := verify(ctx, reference, file, true)
	if err != nil {
		return err
	}
	for _, one := range found {
		content, err := one.Payload()
		if err != nil {
			return err
		}
		var envelope struct{ Payload string }
		if err := json.Unmarshal(content, &envelope); err != nil {
			return err
		}
		statement, err := base64.StdEncoding.DecodeString(envelope.Payload)
		if err != nil {
			return err
		}
		fmt.Println(string(statement))
	}
	return nil
}

func encrypt(file string) error {
	pair, err := cosign.GenerateKeyPair(func(bool) ([]byte, error) { return []byte(os.Getenv("COSIGN_PASSWORD")), nil })
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".key", pair.PrivateBytes, 0o600); err != nil {
		return err
	}
	return os.WriteFile(file+".pub", pair.PublicBytes, 0o644)
}
