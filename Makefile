# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
COMPILE = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

.PHONY: run test prove bench check format lock texts setup setup-development

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

# Collects the pages' texts into the catalogues of the other languages.
texts: setup-development
	@.venv/bin/python -m deploy.collect_texts

lock: setup-development
	@.venv/bin/pip install --quiet uv
	@$(COMPILE) --group build pyproject.toml --output-file requirements.txt
	@$(COMPILE) --group build --group development pyproject.toml --output-file requirements-development.txt

# Asked in a way that every Python since 2.7 understands.
CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Vermilion needs Python 3.11 or newer; \`$(PYTHON)\` is `$(PYTHON) --version 2>&1 || true`. Install a newer one and name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; \
	exit 1; }

setup:
	@$(CHECK_PYTHON)
	@$(PYTHON) deploy/bootstrap.py

setup-development:
	@$(CHECK_PYTHON)
	@$(PYTHON) deploy/bootstrap.py --development
