// Package kubevirt names the packages whose kinds a cluster with KubeVirt v1.7.4 serves. The module is that of v1.7.2, for
// none came later; between the two tags the types differ in a comment, and in nothing else.
package kubevirt

import (
	_ "kubevirt.io/api/clone/v1alpha1"
	_ "kubevirt.io/api/clone/v1beta1"
	_ "kubevirt.io/api/core/v1"
	_ "kubevirt.io/api/export/v1alpha1"
	_ "kubevirt.io/api/export/v1beta1"
	_ "kubevirt.io/api/instancetype/v1beta1"
	_ "kubevirt.io/api/migrations/v1alpha1"
	_ "kubevirt.io/api/pool/v1alpha1"
	_ "kubevirt.io/api/pool/v1beta1"
	_ "kubevirt.io/api/snapshot/v1alpha1"
	_ "kubevirt.io/api/snapshot/v1beta1"
	_ "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)
