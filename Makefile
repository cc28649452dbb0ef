# Everything runs through .venv, which the first target that needs it makes.
PYTHON ?= python3
BIN := .venv/bin
ADDRESS ?= 127.0.0.1:8000
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BIN)/python -m pytest -p pytest_django.plugin -p pytest_playwright.pytest_playwright

.PHONY: run test lint types bench fuzz-samples permissions strangers clean

.venv/installed: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/installed-dev: requirements-dev.txt requirements.txt | .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

run: .venv/installed ## migrate, load the bundled registry, start web and worker at http://localhost:8000
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py createcachetable
	$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	$(BIN)/python manage.py load_demo
	@$(BIN)/python manage.py make_demo_staff
	@echo "KernelIndex: http://localhost:8000 (stop with Ctrl-C)"
	@exec $(BIN)/python manage.py serve --bind $(ADDRESS)

test: .venv/installed-dev ## every test that this machine can run, on DATABASE_URL or SQLite
	$(PYTEST) $(ARGS)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-dev
	$(BIN)/mypy

bench: .venv/installed-dev ## the figures of bench/README.md
	$(BIN)/python -m bench

fuzz-samples: .venv/installed-dev ## two million broken inputs, or ten minutes of them, against the reader of samples
	nice -n 19 $(BIN)/python -m bench.fuzz_samples

permissions: .venv/installed-dev ## every cell of who may do what: all methods as everybody (the suite asks a share)
	KI_WHOLE_MATRIX=1 KI_LOG_LEVEL=CRITICAL $(PYTEST) tests/permissions

strangers: .venv/installed-dev ## each hostile text alone in every text column, each page in Chromium (the suite: all at once)
	KI_EACH_PAYLOAD=1 KI_LOG_LEVEL=CRITICAL $(PYTEST) tests/browser/test_strangers.py

clean:
	rm -rf .venv var
