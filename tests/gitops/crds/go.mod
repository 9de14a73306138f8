// The modules whose custom resource definitions the printed objects are validated against; nothing of them is built.
module virtcatalog/tests/gitops/crds

go 1.25.5

require (
	github.com/argoproj/argo-cd/v3 v3.2.12
	github.com/fluxcd/kustomize-controller v1.7.3
	github.com/fluxcd/source-controller v1.7.3
)
