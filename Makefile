# Every target runs set-up first if needed; `make help` lists the targets.
PYTHON ?= python3
ARGS ?=

TOOLS = $(PYTHON) -m tools
EXEC = $(TOOLS) exec
# Two processes of tests, each with a JVM of its own; tests of a file share a process and its fixtures.
PYTEST = $(EXEC) python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
SITE = $(EXEC) mkdocs build --strict --quiet
# `run` passes its variables to the tools in the environment, unchanged: neither make nor a shell
# expands a quote or a dollar sign in a file name.
GIVEN = DAG PRESET CONFIG SET TRACES WAREHOUSE RUN_ID
unexport $(GIVEN)
# Tests and services start hundreds of processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE
# `tools` is imported from this folder, before anything is installed; what it starts has a safe path.
unexport PYTHONSAFEPATH
check docs: export NO_MKDOCS_2_WARNING = 1
run: export GROUPSCALE_RUN_DAG = $(value DAG)
run: export GROUPSCALE_RUN_PRESET = $(value PRESET)
run: export GROUPSCALE_RUN_CONFIG = $(value CONFIG)
run: export GROUPSCALE_RUN_SET = $(value SET)
run: export GROUPSCALE_RUN_TRACES = $(value TRACES)
run: export GROUPSCALE_RUN_WAREHOUSE = $(value WAREHOUSE)
run: export GROUPSCALE_RUN_RUN_ID = $(value RUN_ID)

.DEFAULT_GOAL := help
.PHONY: help setup run smoke demo live test test-fast long-test cluster-test fault-test service-test prometheus-test keda-test control-plane-test live-test live-fault-test bench bench-kernels bench-services bench-certainty bench-ways bench-rebalances bench-packing bench-placement bench-brokers bench-page check format docs lock audit airflow mlflow up down status clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  run: PRESET=smoke SET='seed=7 deltas=5,10' TRACES='a.csv b.json' CONFIG=run.yaml"
	@echo "       WAREHOUSE=folder RUN_ID=name DAG=autoscaling; separate words in SET and TRACES by blanks"
	@echo "  test, test-fast: ARGS='-k pareto -x'"
	@echo "  all: PYTHON=/path/to/python3.12"

setup: ## install .venv, JARs and databases (every other target does this when needed)
	@$(TOOLS) setup

run: ## run a DAG in Airflow (default: DAG=benchmark PRESET=paper)
	@$(TOOLS) run

smoke: ## do a small run without Airflow (under a minute)
	@$(EXEC) groupscale run --preset smoke

demo: ## recommend a way to scale a group on two generated days (two minutes)
	@mkdir -p build
	@$(EXEC) groupscale demo-data -o build/demo.txt --force
	@$(EXEC) groupscale recommend build/demo.txt --mu 300 --slo 99%@30s --replica-cost 0.048USD \
		--output build/demo --force
	@echo "The page: build/demo/recommendation.html"

live: ## measure two strategies on a Kafka broker of its own (90 seconds)
	@$(EXEC) groupscale run --preset live-smoke

test: ## run all tests except those of the other targets
	@$(PYTEST) -m "not long and not cluster and not faults and not services and not live \
		and not prometheus and not keda and not control_plane" $(ARGS)

test-fast: ## run the tests that are not slow and need neither Spark, Airflow nor a browser
	@$(PYTEST) --hypothesis-profile fast \
		-m "not slow and not long and not spark and not airflow and not e2e and not cluster \
		and not faults and not services and not live and not prometheus and not keda \
		and not control_plane" $(ARGS)

long-test: ## run further runs and trainings of the families autoscaling, live and learning
	@$(PYTEST) -m long tests $(ARGS)

cluster-test: ## run the pipeline on a local Spark cluster and kill a worker
	@$(EXEC) python -m pytest -m cluster tests/cluster $(ARGS)

fault-test: ## inject faults into disposable runs: kill them, fill the disk, stop MLflow
	@$(EXEC) python -m pytest -m faults tests/faults $(ARGS)

service-test: ## test make up, make down and the nightly DAG under the scheduler
	@$(EXEC) python -m pytest -m services tests/services $(ARGS)

prometheus-test: ## import from a Prometheus that scrapes a made-up group; the query for KEDA (two minutes)
	@$(EXEC) python -m pytest -m prometheus tests/pipeline/inputs/prometheus $(ARGS)

keda-test: ## let KEDA's own code ask the scaler, and the pod autoscaler obey (3 minutes; 6 more to build it once)
	@$(EXEC) python -m tools.keda.keda_program
	@$(EXEC) python -m pytest -m keda tests/live/scaler/keda $(ARGS)

control-plane-test: ## let a real control plane with KEDA scale a Deployment by the scaler (10 minutes; 12 more to build it once)
	@$(EXEC) python -m tools.keda.control_plane
	@$(EXEC) python -m pytest -m control_plane tests/live/scaler/control_plane $(ARGS)

live-test: ## test the live processes on Kafka brokers
	@$(EXEC) python -m pytest -m live tests/live tests/tools/bench/rebalances $(ARGS)

live-fault-test: ## inject faults into live runs, and check the evidence
	@$(EXEC) groupscale live faults
	@$(EXEC) python -m pytest -m live tests/live/test_ended_runs_live.py

bench: ## time the algorithms and whole runs into build/bench.json (35 minutes)
	@$(EXEC) python -m tools.bench all

bench-kernels: ## time the algorithms on 32 to 100,000 partitions, and single steps, into build/bench.json
	@$(EXEC) python -m tools.bench kernels

bench-services: ## time the DAG benchmark under a running make up into build/bench.json
	@$(EXEC) python -m tools.bench services $(ARGS)

bench-certainty: ## check how well stated chances are kept, into docs/certainty-table.md (10 minutes)
	@$(EXEC) python -m tools.bench.certainty $(ARGS)

bench-ways: ## measure what ways of deploying keep of a saving, into docs/ways-table.md (10 minutes)
	@$(EXEC) python -m tools.bench.ways $(ARGS)

bench-rebalances: ## measure rebalances of Kafka's own protocols, into docs/rebalance-table.md (3 hours if nothing is measured; ARGS=--quick 5 minutes)
	@$(EXEC) python -m tools.bench.rebalances $(ARGS)

bench-packing: ## compare the least-loaded packing with the fewest replicas, into docs/packing-table.md (40 minutes)
	@$(EXEC) python -m tools.bench.packing $(ARGS)

bench-placement: ## compare plans for brokers added and removed, into docs/placement-table.md (3 minutes; needs a JDK)
	@$(EXEC) python -m tools.bench.placement $(ARGS)

bench-brokers: ## measure latency against brokers and load, into docs/broker-curve-table.md (45 minutes; Linux, root, a JDK)
	@$(EXEC) python -m tools.bench.brokers $(ARGS)

bench-page: ## write docs/benchmarks.md from build/bench.json
	@$(EXEC) python -m tools.bench page

check: ## check format, lint, types, import layers, and words and links of the documentation
	@$(EXEC) ruff format --check .
	@$(EXEC) ruff check .
	@$(EXEC) mypy
	@$(EXEC) lint-imports --no-logo
	@$(EXEC) python -m tools.prose_check
	@$(SITE)

format: ## format the code and apply the linter's safe fixes
	@$(EXEC) ruff format .
	@$(EXEC) ruff check --fix .

docs: ## regenerate reference pages and build the documentation into build/site
	@$(EXEC) python -m pipeline.experiments.data_dictionary
	@$(EXEC) python -m pipeline.experiments.autoscaling.recommendation.chart_files
	@$(EXEC) python -m typer pipeline.cli.app utils docs --name groupscale --output docs/command-line.md
	@$(SITE)
	@echo "Documentation: build/site/index.html; for its search: $(PYTHON) -m http.server -d build/site"

lock: ## resolve requirements/*.in again, keeping versions that still fit
	@$(TOOLS) lock

audit: ## check packages against their pins and for known vulnerabilities
	@$(TOOLS) audit

airflow: ## start Airflow's web page and scheduler on 127.0.0.1
	@$(TOOLS) airflow

mlflow: ## start MLflow's web page on 127.0.0.1
	@$(TOOLS) mlflow

up: ## start PostgreSQL, Airflow, MLflow and Spark as background services on 127.0.0.1
	@$(TOOLS) up

down: ## stop the services of `make up`
	@$(TOOLS) down

status: ## show the services of `make up`; exits with 1 unless all are healthy
	@$(TOOLS) status

clean: ## delete .venv, caches and build output; keeps results and history
	rm -rf .venv .cache build *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "kept: warehouse/ (tables and reports) and .state/ (history of Airflow and MLflow)"
