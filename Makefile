# Every target makes sure that set-up is done; `make help` lists them.
PYTHON ?= python3
ARGS ?=

TOOLS = $(PYTHON) -m tools
EXEC = $(TOOLS) exec
# What `run` is given goes to the tools by the environment, as it is: a quote or a dollar sign in
# the name of a file is read neither by make nor by a shell.
GIVEN = DAG PRESET CONFIG SET TRACES WAREHOUSE RUN_ID
unexport $(GIVEN)
run: export GROUPSCALE_RUN_DAG = $(value DAG)
run: export GROUPSCALE_RUN_PRESET = $(value PRESET)
run: export GROUPSCALE_RUN_CONFIG = $(value CONFIG)
run: export GROUPSCALE_RUN_SET = $(value SET)
run: export GROUPSCALE_RUN_TRACES = $(value TRACES)
run: export GROUPSCALE_RUN_WAREHOUSE = $(value WAREHOUSE)
run: export GROUPSCALE_RUN_RUN_ID = $(value RUN_ID)

.DEFAULT_GOAL := help
.PHONY: help setup run smoke test test-fast cluster-test fault-test service-test bench bench-kernels bench-page check format docs lock audit airflow mlflow up down status clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  run: PRESET=smoke SET='seed=7 deltas=5,10' TRACES='a.csv b.json' CONFIG=run.yaml"
	@echo "       WAREHOUSE=folder RUN_ID=name DAG=nightly; SET and TRACES: words with blanks between"
	@echo "  test, test-fast: ARGS='-k pareto -x'"
	@echo "  all: PYTHON=/path/to/python3.12"

setup: ## make .venv, JARs and databases; the other targets do it by themselves
	@$(TOOLS) setup

run: ## the whole benchmark through Airflow, preset paper unless told otherwise
	@$(TOOLS) run

smoke: ## a small run without Airflow, in under a minute
	@$(EXEC) groupscale run --preset smoke

test: ## all tests but those of the three targets below
	@$(EXEC) python -m pytest -m "not cluster and not faults and not services" $(ARGS)

test-fast: ## tests without Spark and Airflow, and none that takes over ten seconds
	@$(EXEC) python -m pytest \
		-m "not slow and not spark and not airflow and not e2e and not cluster and not faults \
		and not services" \
		$(ARGS)

cluster-test: ## the pipeline on a Spark cluster of local processes that loses a worker
	@$(EXEC) python -m pytest -m cluster tests/cluster $(ARGS)

fault-test: ## runs that are killed, run out of disk, or lose MLflow, and what is left then
	@$(EXEC) python -m pytest -m faults tests/faults $(ARGS)

service-test: ## make up and make down, and the nightly DAG under the scheduler
	@$(EXEC) python -m pytest -m services tests/services $(ARGS)

bench: ## times of the algorithms and of whole runs, to build/bench.json; half an hour
	@$(EXEC) python -m tools.bench all

bench-kernels: ## times of the algorithms, 32 to 100,000 partitions, to build/bench.json
	@$(EXEC) python -m tools.bench kernels

bench-page: ## write docs/benchmarks.md from build/bench.json
	@$(EXEC) python -m tools.bench page

check: ## format, lint, types and import layers; changes nothing
	@$(EXEC) ruff format --check .
	@$(EXEC) ruff check .
	@$(EXEC) mypy
	@$(EXEC) lint-imports --no-logo

format: ## format the code and apply the linter's safe fixes
	@$(EXEC) ruff format .
	@$(EXEC) ruff check --fix .

docs: ## write the generated pages of docs/ anew
	@$(EXEC) python -m schemas > docs/data-dictionary.md

lock: ## resolve requirements/*.in anew, keeping versions that still fit
	@$(TOOLS) lock

audit: ## are the packages those that are pinned, and is any known to be vulnerable
	@$(TOOLS) audit

airflow: ## Airflow's web page and scheduler on 127.0.0.1
	@$(TOOLS) airflow

mlflow: ## MLflow's web page on 127.0.0.1
	@$(TOOLS) mlflow

up: ## Airflow on PostgreSQL, MLflow and Spark as services of this machine, on 127.0.0.1
	@$(TOOLS) up

down: ## stop what `make up` started
	@$(TOOLS) down

status: ## the services of `make up` and whether they are healthy
	@$(TOOLS) status

clean: ## delete .venv, caches and build output; results and history stay
	rm -rf .venv .cache build *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "kept: warehouse/ (tables and reports) and .state/ (history of Airflow and MLflow)"
