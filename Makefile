# Every target creates .venv and installs what it needs, pinned by constraints.txt, when it is missing: build and check
# what the program needs, the others the tools of development, too.
.DEFAULT_GOAL := help
.PHONY: help build check test conformance golden judge kustomize-judge sync-judge schemas docs pictures lint fuzz mutants bench duel cluster dist clean

PYTHON ?= python3
SECONDS ?= 60
NUMBER ?= 300
SEED ?= 1
TESTS ?= sample
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEVELOPMENT := $(VENV)/.development
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
INSTALL := $(BIN)/python -I -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Each process that a test starts would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -I -m venv $(VENV)
	$(INSTALL) --editable .
	@touch $@

$(DEVELOPMENT): $(READY)
	$(INSTALL) --editable '.[dev]'
	@touch $@

build: $(READY) ## Render catalog/ into output/
	$(BIN)/virtcatalog build

check: $(READY) ## Check catalog/; fail when output/ or schemas/ is not what the sources render
	$(BIN)/virtcatalog check
	$(BIN)/virtcatalog build --check
	$(BIN)/virtcatalog schema --output-dir schemas --check

test: $(DEVELOPMENT) ## Run a sample of the tests; TESTS=all runs all of them
	TESTS=$(TESTS) $(PYTEST) $(if $(filter sample,$(TESTS)),--snapshot-disable-unused)

conformance: $(DEVELOPMENT) ## Ask every VM that KubeVirt was asked; fail when fewer answers agree than are recorded
	cd tests && ../$(BIN)/python -m conformance

golden: $(DEVELOPMENT) ## Update the golden files after a wanted change
	$(BIN)/python -m pytest --snapshot-update

judge: $(DEVELOPMENT) ## Have libvirt itself define and start the golden domains (as root, on Debian); JUDGE=--check compares
	tests/judge/chroot.sh unpack build/judge
	tests/judge/chroot.sh run build/judge $(abspath $(BIN))/python tests/judge/judge.py --root build/judge $(JUDGE)

kustomize-judge: $(DEVELOPMENT) ## Have the real kustomize build random trees, and compare object by object (needs Go 1.24); NUMBER, SEED
	$(BIN)/python tests/kustomize/kustomize_judge.py --trees $(NUMBER) --seed $(SEED)

sync-judge: $(DEVELOPMENT) ## Have Argo CD's own diff and Flux's own apply judge VMs in an API server (needs Go 1.26); NUMBER, SEED, RELEASE
	$(BIN)/python tests/gitops/sync_judge.py --vms $(NUMBER) --seed $(SEED) $(if $(RELEASE),--release $(RELEASE))

schemas: $(READY) ## Generate schemas/ and docs/findings.md from the code
	$(BIN)/virtcatalog schema --output-dir schemas
	$(BIN)/virtcatalog check --rules > docs/findings.md

docs: $(DEVELOPMENT) ## Build the documentation's site into build/docs; fail on a link that leads nowhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

pictures: $(DEVELOPMENT) ## Make the README's pictures again, with Debian's Chromium
	PYTHONPATH=tests/site $(BIN)/python tests/docs/pictures.py

lint: $(DEVELOPMENT) ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

fuzz: $(DEVELOPMENT) ## Fuzz for SECONDS each: catalogs, VMs, YAML …; led by coverage where atheris can be installed
	$(INSTALL) atheris || true
	$(BIN)/python tests/fuzz/run.py --seconds $(SECONDS) --seed $(SEED)

duel: $(DEVELOPMENT) ## Hold random VMs against ORACLE, a command line, or a cluster by DUEL='--context NAME' (docs/fidelity.md)
	cd tests && ../$(BIN)/python -m duel $(DUEL) '$(ORACLE)'

cluster: $(DEVELOPMENT) ## Run an API server with KubeVirt's kinds and webhooks till Ctrl-C (needs Go 1.26 to build it); CLUSTER=--help shows options
	cd tests && ../$(BIN)/python -m cluster $(CLUSTER)

mutants: $(DEVELOPMENT) ## Draw NUMBER mutants of the program, of ROOM or of all; fail when the tests let one live
	TESTS=all PYTHONPATH=tests $(BIN)/python -m mutants.run --number $(NUMBER) --seed $(SEED) $(addprefix --room ,$(ROOM))

bench: $(DEVELOPMENT) ## Measure build and expansion, and how near that is to reading and writing alone
	$(BIN)/python benchmarks/run.py --profile
	$(BIN)/python benchmarks/floor.py
	$(BIN)/python benchmarks/site.py

dist: $(DEVELOPMENT) ## Make the files of a release in dist/; IMAGE=yes makes the container image, too (needs podman or buildah)
	.ci/dist $(if $(filter yes,$(IMAGE)),--image)

clean: ## Remove the environment and the caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
