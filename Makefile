# Commands of daily work. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help build demo test bench fuzz ci clean

CARGO ?= cargo

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the program: target/release/nmax
	$(CARGO) build --release --package nmax

demo: ## Load a small shop, find the peak of a system, write reports: two minutes
	@bash examples/shop/demo.sh

test: ## Run every test of the workspace
	@bash scripts/install-test-deps.sh
	@$(CARGO) test --workspace --no-fail-fast -- --quiet

bench: ## Compare with wrk and k6; cost, lag, calibration, memory, scalability (installs the tools)
	@bash scripts/install-bench-deps.sh
	$(CARGO) build --release --package nmax
	@python3 benchsuite/bench.py

fuzz: ## Fuzz replies, cookies, URLs, plans, recordings and logs, FUZZ_SECONDS each (default 600)
	@bash scripts/install-fuzz-deps.sh
	@bash scripts/fuzz.sh

ci: ## Format, lints and tests, as required before a merge
	@$(CARGO) xtask ci

clean: ## Remove what was built
	$(CARGO) clean
