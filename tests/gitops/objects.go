package main

import (
	"encoding/json"
	"fmt"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

type verdict struct {
	Error string `json:"error"`
}

// objects reads Applications and ApplicationSets as Argo CD does: strictly, into its own types.
func objects() error {
	return each(func(object map[string]any) verdict {
		var kind any
		switch object["kind"] {
		case "Application":
			kind = &v1alpha1.Application{}
		case "ApplicationSet":
			kind = &v1alpha1.ApplicationSet{}
		default:
			return verdict{fmt.Sprintf("%v is no kind of Argo CD's", object["kind"])}
		}
		text, err := json.Marshal(object)
		if err == nil {
			err = yaml.UnmarshalStrict(text, kind)
		}
		if err != nil {
			return verdict{err.Error()}
		}
		return verdict{}
	})
}
