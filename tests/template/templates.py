"""Templates for tests."""


def vm(*, metadata=None, spec=None, domain=None):
    """A VM that KubeVirt's type takes."""
    instances = {"spec": {"domain": domain or {"devices": {}}}}
    return {"metadata": {"name": "vm", **(metadata or {})}, "spec": {"template": instances, **(spec or {})}}


def template(virtual_machine, parameters, message=""):
    """A VirtualMachineTemplate."""
    spec = {"virtualMachine": virtual_machine, "parameters": parameters, "message": message}
    return {
        "apiVersion": "template.kubevirt.io/v1beta1",
        "kind": "VirtualMachineTemplate",
        "metadata": {"name": "tpl"},
        "spec": spec,
    }
