package main

import (
	"context"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type expressions struct {
	Current string         `json:"current"`
	Failed  string         `json:"failed"`
	Object  map[string]any `json:"object"`
}

// expressionHealths judges each object by expressions of healthCheckExprs, which Flux's own CEL evaluates.
func expressionHealths() error {
	return each(func(in expressions) health {
		exprs := &kustomize.HealthCheckExpressions{Current: in.Current, Failed: in.Failed}
		evaluator, err := cel.NewStatusEvaluator(exprs)
		if err != nil {
			return health{Error: err.Error()}
		}
		result, err := evaluator.Evaluate(context.Background(), &unstructured.Unstructured{Object: in.Object})
		if err != nil {
			return health{Error: err.Error()}
		}
		return health{Status: result.Status.String()}
	})
}

// readiness says of each object what Flux takes it for where it waits without expressions.
func readiness() error {
	return each(func(object map[string]any) health {
		result, err := status.Compute(&unstructured.Unstructured{Object: object})
		if err != nil {
			return health{Error: err.Error()}
		}
		return health{Status: result.Status.String(), Message: result.Message}
	})
}
