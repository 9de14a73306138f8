"""Mutants: small changes of the program, each of which some test should notice. `make mutants` draws some of them."""
