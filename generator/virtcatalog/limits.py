"""How much of anything is taken: input comes from strangers, and no small input may take long or fill the memory.

docs/limits.md says each for users, and a test holds it to these.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 2**10
MIB: Final = 2**20

# Amounts
QUANTITY_CHARACTERS: Final = 256  # and its largest exponent: Go has no limit and may never finish

MACHINE_CHARACTERS: Final = 256  # of a machine type, and of a pattern of emulatedMachines

PRICE_DIGITS: Final = 12  # of an amount of money, before the point and behind it

# Host profiles
HOST_CPUS: Final = 8192  # as many as Linux can have
HOST_FILE_BYTES: Final = 4 * MIB

# virtcatalog.toml and pyproject.toml
SETTINGS_FILE_BYTES: Final = MIB
SETTINGS_KEY_PARTS: Final = 100  # of one dotted key: reading them takes the square of it

# Domains
IO_THREADS: Final = 1024  # of a supplemental pool

# What `explain` expands again
EXPLAIN_WORK: Final = 1_000_000  # keys and values of the VM, each time that it is expanded without one of them

# Catalogs: the work of expressions, templates and layers, in units of some 50 nanoseconds
WORK: Final = 12_000_000
WORK_PER_BYTE: Final = 60  # of the catalog's files, on top
PROBLEMS: Final = 1000  # of one catalog, before reading it ends
COMPONENT_LEVELS: Final = 50  # components that use components
RENDERED_BYTES: Final = 64 * MIB  # of all objects' manifests together
ANNOTATION_BYTES: Final = 256 * KIB  # of one object, keys and values together: as Kubernetes

# What `capacity` puts on nodes
CAPACITY_VMS: Final = 20_000  # that pools and ReplicaSets stand for
CAPACITY_NODES: Final = 20_000  # that nodes.yaml declares
CAPACITY_LOOKS: Final = 400_000  # whether a node can take a Pod, or Pods mind each other
CAPACITY_LOOKS_PER_OBJECT: Final = 2000  # of the VMs and nodes that are there one by one, on top

# Instance types with preferences: all that one run judges
PAIRS: Final = 300_000  # one for which a VM is expanded counts as 50, one that a site shows as 2

# Expressions and templates: each value, and each template
TEMPLATE_ITERATIONS: Final = 10_000
TEMPLATE_VALUE_CHARACTERS: Final = 64 * KIB
TEMPLATE_VALUE_ITEMS: Final = 10_000
TEMPLATE_INTEGER_BITS: Final = 128
TEMPLATE_ARGUMENT: Final = 256  # a number or the characters of a text that a filter takes beside its value
TEMPLATE_OUTPUT_CHARACTERS: Final = MIB

# VirtualMachineTemplates: each one
PROCESSED_CHARACTERS: Final = 16 * MIB  # of the VM's texts, with the parameters' values in them
SUBSTITUTION_WORK: Final = 256 * MIB  # characters that are searched where values hold references themselves
EXPRESSION_CHARACTERS: Final = 64 * KIB  # of a generator's `from`, while it is filled
EXPRESSIONS: Final = 1000  # in it

# YAML and JSON: each document
YAML_LEVELS: Final = 200
YAML_VALUES: Final = 5_000_000  # maps, lists, keys and scalars
YAML_ALIASED_VALUES: Final = 100_000  # that aliases stand for
YAML_ALIASED_CHARACTERS: Final = 4 * MIB

# XML: each document
XML_BYTES: Final = MIB
XML_ELEMENTS: Final = 20_000
XML_LEVELS: Final = 64
XML_ATTRIBUTES: Final = 1000  # of one element: reading them takes the square of it

# Tables of an inventory, each: a CSV file, or a sheet
TABLE_CELLS: Final = 20_000_000
WORKBOOK_BYTES: Final = 512 * MIB  # of what is read of a workbook, unpacked
WORKBOOK_ELEMENTS: Final = 4_000_000
WORKBOOK_TAGS: Final = 200_000

# Archives that machines come in
ARCHIVE_MEMBERS: Final = 10_000  # files of an OVA

# What is read: each folder, git revision or file that is named
SOURCE_FILES: Final = 50_000
SOURCE_FILE_BYTES: Final = 256 * MIB
STREAM_BYTES: Final = 16 * 1024 * MIB  # of a file whose documents and items are read one by one
SOURCE_BYTES: Final = 512 * MIB
SOURCE_FOLDER_LEVELS: Final = 32
SOURCE_LINKS: Final = 16
SOURCE_LINK_BYTES: Final = 4 * KIB  # of a symbolic link in a revision
SOURCE_BLOCK_BYTES: Final = 4 * MIB  # of small files in a revision that are read at once
GIT_SECONDS: Final = 30  # that git may take for an answer, in the largest of repositories
GIT_LEAST_SECONDS: Final = 2  # in the smallest; there is one more for each MiB of objects
GIT_BYTES: Final = 1024 * MIB  # of memory that it may fill, beside the files that it maps
KUSTOMIZE_WORK: Final = 20_000_000  # of a kustomize tree, in units of some 50 nanoseconds
REPOSITORY_UNITS: Final = 5000  # that are deployed, those that ApplicationSets make among them
REPOSITORY_LEVELS: Final = 10  # units that are deployed by units
REPOSITORY_KUSTOMIZE_WORK: Final = 10 * KUSTOMIZE_WORK  # of all its kustomizations together
GLOB_WORK: Final = 20_000_000  # states of patterns that paths are held against
SUBSTITUTED_CHARACTERS: Final = 16 * MIB  # of an object, with its variables filled in
SUBSTITUTION_LEVELS: Final = 20  # references in each other's defaults
REPOSITORY_FILE_BYTES: Final = 16 * MIB  # of a file that nobody named
VALUES_WORK: Final = 1_000_000  # maps, lists and texts in a chart's values that are looked at
SET_FILE_BYTES: Final = 64 * KIB  # of a file that an Application gives to a chart as one value
CHART_FILES: Final = 5000  # of a chart and its dependencies
CHART_BYTES: Final = 32 * MIB  # of these, unpacked
CHART_LEVELS: Final = 8  # charts within charts
CHARTS_SECONDS: Final = 120  # that helm may take for all charts of a run
HELM_SECONDS: Final = 10  # of CPU that helm may take for one of them
HELM_BYTES: Final = 1024 * MIB  # of memory that it may fill
HELM_OUTPUT_BYTES: Final = 64 * MIB  # that it may print
CATALOG_FILE_BYTES: Final = 16 * MIB

# What is told of a catalog's past
PAST_RELEASES: Final = 20  # the newest
PAST_LOCKS: Final = 200  # that are looked at for them, the newest
PAST_LOCK_BYTES: Final = 256 * MIB  # of these together
PAST_COMMITS: Final = 1000  # the newest that touch rendered objects
PAST_CHANGES: Final = 20_000  # of rendered objects, the newest
PAST_FILES: Final = 1_000_000  # files and folders of all these commits that are looked at for them
PAST_FILE_BYTES: Final = MIB  # of a rendered object

# Artifacts of registries
ARTIFACT_BYTES: Final = 64 * MIB  # of its layer, packed
ARTIFACT_UNPACKED_BYTES: Final = 256 * MIB  # of the tar file in it
ARTIFACT_MANIFEST_BYTES: Final = 4 * MIB  # of a manifest, or a list of what is about an artifact: as registries take
REGISTRY_ANSWER_BYTES: Final = MIB  # of what a registry says beside these: tokens, faults
EXTENDED_ARTIFACTS: Final = 8  # that one chain of catalogs takes over

# What is kept for the next run
CACHE_BYTES: Final = 512 * MIB
CACHE_ENTRY_BYTES: Final = 4 * MIB

# Golden files
GOLDEN_FILE_BYTES: Final = 4 * MIB

# Differences of texts
LINE_COMPARISONS: Final = 500  # for each line

# Output trees
OUTPUT_FILE_BYTES: Final = 256 * MIB  # of a file in it that is compared with what would be written
