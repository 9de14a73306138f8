"""A cluster's API server, asked by HTTP: lists, and nothing else. It needs the extra `cluster`."""
