"""A cluster's API server, asked by HTTP: get and list, and nothing else. It needs the extra `cluster`."""
