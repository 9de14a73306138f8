package main

import (
	"encoding/json"
	"fmt"

	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

type verdict struct {
	Error        string                 `json:"error"`
	Applications []v1alpha1.Application `json:"applications"`
}

// objects reads Applications and ApplicationSets as Argo CD does: strictly, into its own types. Of an ApplicationSet
// its own templates make the Applications.
func objects() error {
	return each(func(object map[string]any) verdict {
		made, err := applications(object)
		if err != nil {
			return verdict{Error: err.Error()}
		}
		return verdict{Applications: made}
	})
}

func applications(object map[string]any) ([]v1alpha1.Application, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	switch object["kind"] {
	case "Application":
		var application v1alpha1.Application
		err := yaml.UnmarshalStrict(text, &application)
		return []v1alpha1.Application{application}, err
	case "ApplicationSet":
		var set v1alpha1.ApplicationSet
		if err := yaml.UnmarshalStrict(text, &set); err != nil {
			return nil, err
		}
		return rendered(set)
	}
	return nil, fmt.Errorf("%v is no kind of Argo CD's", object["kind"])
}

func rendered(set v1alpha1.ApplicationSet) ([]v1alpha1.Application, error) {
	var made []v1alpha1.Application
	meta := set.Spec.Template.ApplicationSetTemplateMeta
	template := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{
			Name: meta.Name, Namespace: set.Namespace, Labels: meta.Labels, Annotations: meta.Annotations,
		},
		Spec: set.Spec.Template.Spec,
	}
	for _, generator := range set.Spec.Generators {
		for _, element := range generator.List.Elements {
			var parameters map[string]any
			if err := json.Unmarshal(element.Raw, &parameters); err != nil {
				return nil, err
			}
			render := utils.Render{}
			application, err := render.RenderTemplateParams(
				template, set.Spec.SyncPolicy, parameters, set.Spec.GoTemplate, set.Spec.GoTemplateOptions)
			if err != nil {
				return nil, err
			}
			made = append(made, *application)
		}
	}
	return made, nil
}
