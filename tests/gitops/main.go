// Applies manifests to an API server as Argo CD and Flux do, and says what their own code then finds out of sync.
//
// Standard input has one JSON document a manifest: {"id", "manifest", "changed", "ignore", "ignoreMerging"}; standard
// output one for each: {"id", "client", "merge", "server", "flux", "errors"}, where each way of syncing has the fields
// that differ. What is "changed" is compared in the place of the manifest that was applied; what is ignored where an
// Application applies on the server is "ignoreMerging". Where the manifest says "needs", "needed" and "neededMerging" are
// the numbers of those rules without which it would be out of sync.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	argodiff "github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/fluxcd/pkg/ssa"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kube-openapi/pkg/util/proto"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const argoManager = "argocd-controller"

// patience is how long an expression of jq may take: Argo CD's one second is too short for a machine that does much else.
const patience = time.Minute

type input struct {
	ID            string                               `json:"id"`
	Manifest      map[string]any                       `json:"manifest"`
	Changed       map[string]any                       `json:"changed"`
	Ignore        []v1alpha1.ResourceIgnoreDifferences `json:"ignore"`
	IgnoreMerging []v1alpha1.ResourceIgnoreDifferences `json:"ignoreMerging"`
	Needs         bool                                 `json:"needs"`
}

type output struct {
	ID            string            `json:"id"`
	Client        []string          `json:"client"`
	Merge         []string          `json:"merge"`
	Server        []string          `json:"server"`
	Flux          []string          `json:"flux"`
	Needed        []int             `json:"needed"`
	NeededMerging []int             `json:"neededMerging"`
	Errors        map[string]string `json:"errors"`
}

type judge struct {
	ctx    context.Context
	client client.Client
	flux   *ssa.ResourceManager
	parser *managedfields.GvkParser
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "health" {
		exit(healths(os.Args[2]))
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "objects" {
		exit(objects())
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "expressions" {
		exit(expressionHealths())
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "readiness" {
		exit(readiness())
		return
	}
	if len(os.Args) != 3 || os.Args[1] != "sync" {
		exit(fmt.Errorf("usage: judge sync KUBECONFIG | health CONFIGMAP | objects | expressions | readiness"))
	}
	exit(syncs(os.Args[2]))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// each reads one document after the other, whole numbers as Kubernetes reads them, and writes what becomes of it.
func each[In, Out any](become func(In) Out) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	encoder := json.NewEncoder(os.Stdout)
	for decoder.More() {
		var text json.RawMessage
		if err := decoder.Decode(&text); err != nil {
			return err
		}
		var in In
		if err := utiljson.Unmarshal(text, &in); err != nil {
			return err
		}
		if err := encoder.Encode(become(in)); err != nil {
			return err
		}
	}
	return nil
}

func syncs(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 1000, 1000
	config.WarningHandler = rest.NoWarnings{}
	log.SetLogger(logr.Discard())
	api, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	document, err := discovery.NewDiscoveryClientForConfigOrDie(config).OpenAPISchema()
	if err != nil {
		return err
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return err
	}
	parser, err := managedfields.NewGVKParser(models, false)
	if err != nil {
		return err
	}
	owner := ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"}
	j := judge{context.Background(), api, ssa.NewResourceManager(api, nil, owner), parser}
	return each(j.judge)
}

func (j judge) judge(in input) output {
	out := output{ID: in.ID, Errors: map[string]string{}}
	compared := in.Changed
	if compared == nil {
		compared = in.Manifest
	}
	note := func(mode string, fields []string, err error) []string {
		if err != nil {
			out.Errors[mode] = err.Error()
		}
		return fields
	}
	fields, err := j.clientSide(in, compared, &out)
	out.Client = note("client", fields, err)
	merged, server, err := j.serverSide(in, compared, &out)
	out.Merge, out.Server = note("server", merged, err), server
	fields, err = j.fluxSide(in, compared)
	out.Flux = note("flux", fields, err)
	return out
}

func object(manifest map[string]any, namespace string) *unstructured.Unstructured {
	o := (&unstructured.Unstructured{Object: manifest}).DeepCopy()
	o.SetNamespace(namespace)
	return o
}

// clientSide creates the object with the annotation that kubectl and Argo CD write, and compares by a merge patch.
func (j judge) clientSide(in input, compared map[string]any, out *output) (fields []string, err error) {
	live := object(in.Manifest, "client")
	applied, err := json.Marshal(live.Object)
	if err != nil {
		return nil, err
	}
	annotations := live.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(applied)
	live.SetAnnotations(annotations)
	if err := j.client.Create(j.ctx, live, client.FieldOwner(argoManager)); err != nil {
		return nil, err
	}
	if in.Needs {
		if out.Needed, err = j.needed(in.Ignore, object(compared, "client"), live, false); err != nil {
			return nil, err
		}
	}
	return j.differing(in.Ignore, object(compared, "client"), live, false, false)
}

// serverSide applies the object on the server, and compares by a structured merge, and by the server's own answer.
func (j judge) serverSide(in input, compared map[string]any, out *output) (merged, server []string, err error) {
	live := object(in.Manifest, "server")
	if err := j.client.Patch(j.ctx, live, client.Apply, client.FieldOwner(argoManager), client.ForceOwnership); err != nil {
		return nil, nil, err
	}
	if in.Needs {
		if out.NeededMerging, err = j.needed(in.IgnoreMerging, object(compared, "server"), live, true); err != nil {
			return nil, nil, err
		}
	}
	if merged, err = j.differing(in.IgnoreMerging, object(compared, "server"), live, true, false); err != nil {
		return nil, nil, err
	}
	server, err = j.differing(in.IgnoreMerging, object(compared, "server"), live, false, true)
	return merged, server, err
}

// fluxSide applies the object as Flux's kustomize-controller does, and asks it whether the object has drifted.
func (j judge) fluxSide(in input, compared map[string]any) ([]string, error) {
	if _, err := j.flux.Apply(j.ctx, object(in.Manifest, "flux"), ssa.DefaultApplyOptions()); err != nil {
		return nil, err
	}
	entry, live, dry, err := j.flux.Diff(j.ctx, object(compared, "flux"), ssa.DefaultDiffOptions())
	if err != nil || entry.Action == ssa.UnchangedAction {
		return nil, err
	}
	return differences(live.Object, dry.Object), nil
}

// needed returns the numbers of the rules without which the object would be out of sync.
func (j judge) needed(rules []v1alpha1.ResourceIgnoreDifferences, config, live *unstructured.Unstructured, merge bool) (numbers []int, err error) {
	for number := range rules {
		others := slices.Concat(rules[:number], rules[number+1:])
		fields, err := j.differing(others, config, live, merge, false)
		if err != nil {
			return nil, err
		}
		if len(fields) > 0 {
			numbers = append(numbers, number)
		}
	}
	return numbers, nil
}

func (j judge) differing(
	ignored []v1alpha1.ResourceIgnoreDifferences, config, live *unstructured.Unstructured, merge, server bool,
) ([]string, error) {
	diffs, err := argodiff.NewDiffConfigBuilder().
		WithDiffSettings(ignored, nil, true, normalizers.IgnoreNormalizerOpts{JQExecutionTimeout: patience}).
		WithTracking("", "annotation").
		WithNoCache().
		WithGVKParser(j.parser).
		WithManager(argoManager).
		WithStructuredMergeDiff(merge).
		WithServerSideDiff(server).
		WithServerSideDryRunner(j).
		Build()
	if err != nil {
		return nil, err
	}
	result, err := argodiff.StateDiff(live, config, diffs)
	if err != nil || !result.Modified {
		return nil, err
	}
	var predicted, normalized any
	if err := json.Unmarshal(result.PredictedLive, &predicted); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(result.NormalizedLive, &normalized); err != nil {
		return nil, err
	}
	return differences(normalized, predicted), nil
}

// Run asks the API server what an apply would store, as Argo CD's server-side diff does.
func (j judge) Run(ctx context.Context, config *unstructured.Unstructured, manager string) (string, error) {
	body, err := config.MarshalJSON()
	if err != nil {
		return "", err
	}
	answer := config.DeepCopy()
	patch := client.RawPatch(types.ApplyPatchType, body)
	if err := j.client.Patch(ctx, answer, patch, client.FieldOwner(manager), client.ForceOwnership, client.DryRunAll); err != nil {
		return "", err
	}
	text, err := answer.MarshalJSON()
	return string(text), err
}

// plain is what stands behind a point in the path of a field; other keys stand in brackets.
var plain = regexp.MustCompile(`^[\pL\pN_-]+$`)

// differences names the fields in which two values differ, as `virtcatalog check` names them.
func differences(one, other any) []string {
	var fields []string
	differ(one, other, "", &fields)
	sort.Strings(fields)
	return fields
}

func differ(one, other any, path string, fields *[]string) {
	first, isMap := one.(map[string]any)
	second, both := other.(map[string]any)
	if isMap && both {
		keys := map[string]bool{}
		for key := range first {
			keys[key] = true
		}
		for key := range second {
			keys[key] = true
		}
		for key := range keys {
			a, inFirst := first[key]
			b, inSecond := second[key]
			inner := path + "[" + key + "]"
			if plain.MatchString(key) {
				inner = strings.TrimPrefix(path+"."+key, ".")
			}
			if inFirst != inSecond {
				*fields = append(*fields, inner)
			} else {
				differ(a, b, inner, fields)
			}
		}
		return
	}
	items, isList := one.([]any)
	others, bothLists := other.([]any)
	if isList && bothLists && len(items) == len(others) {
		for index := range items {
			differ(items[index], others[index], fmt.Sprintf("%s[%d]", path, index), fields)
		}
		return
	}
	a, _ := json.Marshal(one)
	b, _ := json.Marshal(other)
	if string(a) != string(b) {
		*fields = append(*fields, path)
	}
}
