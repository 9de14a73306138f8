// Package kubevirt names the packages whose kinds a cluster with KubeVirt v1.9.0 serves.
package kubevirt

import (
	_ "kubevirt.io/api/backup/v1alpha1"
	_ "kubevirt.io/api/clone/v1alpha1"
	_ "kubevirt.io/api/clone/v1beta1"
	_ "kubevirt.io/api/core/v1"
	_ "kubevirt.io/api/export/v1"
	_ "kubevirt.io/api/export/v1beta1"
	_ "kubevirt.io/api/instancetype/v1beta1"
	_ "kubevirt.io/api/migrations/v1alpha1"
	_ "kubevirt.io/api/plugin/v1alpha1"
	_ "kubevirt.io/api/pool/v1alpha1"
	_ "kubevirt.io/api/pool/v1beta1"
	_ "kubevirt.io/api/snapshot/v1alpha1"
	_ "kubevirt.io/api/snapshot/v1beta1"
	_ "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)
