package main

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	gomarkers "sigs.k8s.io/controller-tools/pkg/markers"
)

const kubevirt = "kubevirt.io"

// clusterScoped are KubeVirt's kinds that are in no namespace: KubeVirt's types have no marker that says so.
var clusterScoped = []string{
	"MigrationPolicy", "Plugin", "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference",
}

// withoutStatus are KubeVirt's kinds whose CustomResourceDefinitions have no subresource for the status.
var withoutStatus = []string{
	"Plugin", "VirtualMachineInstance", "VirtualMachineInstancePreset", "VirtualMachineInstancetype", "VirtualMachineClusterInstancetype",
	"VirtualMachinePreference", "VirtualMachineClusterPreference",
}

// scaled are KubeVirt's kinds that have the subresource scale.
var scaled = []string{"VirtualMachineInstanceReplicaSet", "VirtualMachinePool"}

// definitions makes CustomResourceDefinitions of the packages that the package in a folder imports.
func definitions(folder string) ([]v1.CustomResourceDefinition, error) {
	roots, err := imported(folder)
	if err != nil {
		return nil, err
	}
	registry := &gomarkers.Registry{}
	if err := markers.Register(registry); err != nil {
		return nil, err
	}
	noText := 0
	parser := &crd.Parser{
		Collector:           &gomarkers.Collector{Registry: registry},
		Checker:             &loader.TypeChecker{NodeFilters: []loader.NodeFilter{parsed}},
		AllowDangerousTypes: true,
	}
	crd.AddKnownTypes(parser)
	for _, root := range roots {
		parser.NeedPackage(root)
	}
	var made []v1.CustomResourceDefinition
	for _, kind := range crd.FindKubeKinds(parser, crd.FindMetav1(roots)) {
		parser.NeedCRDFor(kind, &noText)
		definition := parser.CustomResourceDefinitions[kind]
		crd.FixTopLevelMetadata(definition)
		if strings.HasSuffix(kind.Group, kubevirt) && !strings.HasPrefix(kind.Group, "cdi.") {
			if kind.Kind == "DataVolumeTemplateSpec" { // a part of VirtualMachines, which is no kind
				continue
			}
			asInstalled(&definition, kind)
		}
		made = append(made, definition)
	}
	// Without a storage version by a marker, a kind of KubeVirt's is an error to the parser: asInstalled chooses one.
	return made, nil
}

// parsed says which declarations are read.
func parsed(node ast.Node) bool {
	switch node.(type) {
	case *ast.InterfaceType, *ast.FuncDecl, *ast.FuncType:
		return false
	}
	return true
}

// imported loads the packages that the package in a folder imports, with the folder's own go.mod.
func imported(folder string) ([]*loader.Package, error) {
	listed, err := packages.Load(&packages.Config{Dir: folder, Mode: packages.NeedName | packages.NeedImports}, ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, list := range listed {
		if len(list.Errors) > 0 {
			return nil, list.Errors[0]
		}
		paths = slices.AppendSeq(paths, maps.Keys(list.Imports))
	}
	slices.Sort(paths)
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: folder}, paths...)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if len(root.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", root.PkgPath, root.Errors[0])
		}
	}
	return roots, nil
}

// asInstalled changes a definition to what virt-operator installs (pkg/virt-operator/resource/generate/components/crds.go):
// all versions have the schema of the newest, which is the one that is stored.
func asInstalled(definition *v1.CustomResourceDefinition, kind schema.GroupKind) {
	spec := &definition.Spec
	newest := slices.MaxFunc(spec.Versions, byAge)
	if kind.Group == kubevirt {
		old := newest
		old.Name = "v1alpha3"
		spec.Versions = append(spec.Versions, old)
	}
	stored := newest.Name
	if kind.Kind == "VirtualMachineInstancePreset" {
		stored = "v1alpha3"
	}
	subresources := v1.CustomResourceSubresources{}
	if !slices.Contains(withoutStatus, kind.Kind) {
		subresources.Status = &v1.CustomResourceSubresourceStatus{}
	}
	if slices.Contains(scaled, kind.Kind) {
		selector := ".status.labelSelector"
		subresources.Scale = &v1.CustomResourceSubresourceScale{
			SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: &selector,
		}
	}
	for index := range spec.Versions {
		version := &spec.Versions[index]
		version.Schema, version.Storage, version.Subresources = newest.Schema, version.Name == stored, &subresources
	}
	if slices.Contains(clusterScoped, kind.Kind) {
		spec.Scope = v1.ClusterScoped
	}
}

// byAge orders versions as names order them: v1alpha1, v1beta1, v1.
func byAge(one, other v1.CustomResourceDefinitionVersion) int {
	return version.CompareKubeAwareVersionStrings(one.Name, other.Name)
}
