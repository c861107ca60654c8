# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3

.PHONY: run test prove bench check setup lock

setup:
	@$(PYTHON) deploy/bootstrap.py

run: setup
	@.venv/bin/vermilion demo-company

test: setup
	@.venv/bin/python deploy/run_tests.py

check: setup
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/lint-imports
	@node_modules/.bin/pyright

lock:
	@.venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.txt
	@.venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group development pyproject.toml -o requirements-development.txt
