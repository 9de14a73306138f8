package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Error   string `json:"error,omitempty"`
}

// healths judges each object by the scripts of a ConfigMap, which Argo CD's own Lua runs; without a ConfigMap by its own.
func healths(file string) error {
	overrides := map[string]v1alpha1.ResourceOverride{}
	if file != "-" {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var settings corev1.ConfigMap
		if err := json.Unmarshal(text, &settings); err != nil {
			return err
		}
		for key, script := range settings.Data {
			name := strings.Replace(strings.TrimPrefix(key, "resource.customizations.health."), "_", "/", 1)
			overrides[name] = v1alpha1.ResourceOverride{HealthLua: script}
		}
	}
	judge := lua.ResourceHealthOverrides(overrides)
	return each(func(object map[string]any) health {
		found, err := judge.GetResourceHealth(&unstructured.Unstructured{Object: object})
		if err != nil {
			return health{Error: err.Error()}
		}
		if found == nil {
			return health{}
		}
		return health{Status: string(found.Status), Message: found.Message}
	})
}
