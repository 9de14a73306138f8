"""What a GitOps repository deploys, found without a cluster and without its tools."""
