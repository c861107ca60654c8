# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
COMPILE = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

.PHONY: run test prove bench check format lock setup setup-development

run: setup
	@.venv/bin/vermilion run

test: setup-development
	@.venv/bin/python deploy/run_tests.py

check: setup-development
	@.venv/bin/python deploy/run_tests.py --only-checks

prove: setup-development
	@.venv/bin/python -m bench.prove

bench: setup-development
	@.venv/bin/python -m bench

format: setup-development
	@.venv/bin/ruff check --fix . ; .venv/bin/ruff format .

lock: setup-development
	@.venv/bin/pip install --quiet uv
	@$(COMPILE) --group build pyproject.toml --output-file requirements.txt
	@$(COMPILE) --group build --group development pyproject.toml --output-file requirements-development.txt

setup:
	@command -v $(PYTHON) >/dev/null || { echo "Vermilion needs Python 3.11 or newer, and there is no $(PYTHON) here. Install it, or name another: make run PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) deploy/bootstrap.py

setup-development:
	@command -v $(PYTHON) >/dev/null || { echo "Vermilion needs Python 3.11 or newer, and there is no $(PYTHON) here. Install it, or name another: make test PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) deploy/bootstrap.py --development
