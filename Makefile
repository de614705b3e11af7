# Commands of daily work. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help build agent dist image demo ui test test-quick bench pictures fuzz ci clean

CARGO ?= cargo
STATIC_TARGET ?= $(shell uname -m)-unknown-linux-gnu
ENGINE ?= $(firstword $(foreach name,docker podman,$(shell command -v $(name))))

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the program: target/release/nmax
	$(CARGO) build --release --package nmax

# One file that runs on any Linux of this architecture: the C library is in it.
agent: ## Build `nmax agent` for servers as one small static file: target/agent/nmax-agent
	RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs" $(CARGO) build --profile dist --package nmax-agent --target $(STATIC_TARGET)
	@mkdir -p target/agent && cp "$${CARGO_TARGET_DIR:-target}/$(STATIC_TARGET)/dist/nmax-agent" target/agent/nmax-agent
	@! ldd target/agent/nmax-agent 2>&1 | grep -q '=>' || { echo "target/agent/nmax-agent is not static" >&2; exit 1; }

dist: ## Pack what users download: an archive, a Debian package and checksums in target/package
	@$(CARGO) xtask dist

image: dist ## Build the container image nmax:VERSION of it, with docker or podman (ENGINE chooses)
	@test -n "$(ENGINE)" || { echo "missing: docker or podman; install one, or name another with ENGINE=" >&2; exit 1; }
	@version=$$(sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml | head -n 1) && \
	revision=$$(git rev-parse HEAD) && \
	$(ENGINE) build --file target/package/image/Containerfile --tag "nmax:$$version" \
		--build-arg "VERSION=$$version" --build-arg "REVISION=$$revision" target/package/image

demo: ## Load a small shop, find the peak of a system, write reports: two minutes
	@bash examples/shop/demo.sh

ui: ## Build the page of nmax serve into ui/dist; CHECK=1 compares only (needs npm)
	@bash scripts/ui.sh $(if $(CHECK),--check)

test: ## Run every test of the workspace; SLOWEST=1 prints the 20 slowest
	@bash scripts/install-test-deps.sh
	@$(CARGO) xtask test

test-quick: ## Run the tests of daily work: without the command as a whole, real servers and browsers
	@$(CARGO) xtask test --quick

bench: ## Compare with wrk and k6; cost, lag, calibration, memory, scalability (installs the tools)
	@bash scripts/install-bench-deps.sh
	$(CARGO) build --profile dist --package nmax
	@python3 benchsuite/bench.py

pictures: build ## Make pictures of every report and page in target/pictures, and the README's in docs/pictures (needs Chromium)
	@bash scripts/pictures.sh

fuzz: ## Fuzz replies, documents, cookies, URLs, plans, paths, recordings, logs, pages of metrics and frames, FUZZ_SECONDS each (default 600)
	@bash scripts/install-fuzz-deps.sh
	@bash scripts/fuzz.sh

ci: ## Format, lints and tests, as required before a merge
	@$(CARGO) xtask ci

clean: ## Remove what was built
	$(CARGO) clean
