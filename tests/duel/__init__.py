"""virtcatalog against an oracle: VMs drawn from the API's types, answers compared stage by stage, differences shrunk.

docs/fidelity.md documents the protocol, with the keys of `conformance.cases.Case`.
"""
