"""A declaration of VM templates: one of an operating system, with a parameter that has to be given."""

TEMPLATES = """\
defaults:
  preference: linux-9
  message: "${NAME} is there."
  parameters: {DISK: {displayName: Disk, description: How large, value: 30Gi}, USER: {required: true}}
  vm:
    metadata: {annotations: {disk: "${DISK}", user: "${USER}"}}
    spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
  tests: {full: {NAME: db-1, USER: root}}
sizes: {small: {instancetype: m.small}}
workloads: {server: {displayName: A server, description: It serves.}}
systems: {alpine: {}}
"""
