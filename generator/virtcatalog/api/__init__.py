"""KubeVirt's API as types, and manifests read into them."""
