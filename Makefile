# The chores. `make` alone lists them.
SHELL := /bin/bash
BUILD := swift build -c release
PROGRAM := .build/release/webviewguard
VENV := .build/venv
SYSTEM := Tests/System
ENGINES := Tests/Engines

.DEFAULT_GOAL := help
.PHONY: quick check nightly build-tests test-linkage check-observations check-lanes help dependencies test-dependencies build run demo install test test-swift test-rules test-readme test-interop \
	test-clients test-javascript test-electron test-sealed test-browsers test-webkit-sanitized test-wpe test-cef test-foreign test-wayland test-install test-production test-systemd test-sanitized \
	sanitized soak deb bench bench-engines sealing-speed instructions fuzz oracle same lint format check-house check-rows \
	check-attacks clean

help: ## list the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

dependencies:
	@scripts/install-dependencies

test-dependencies:
	@scripts/install-dependencies --for-tests

build: dependencies ## build the program into .build/release
	$(BUILD) --product webviewguard

run: build ## start the daemon on Rules/ and show its decisions (CONFIG=DIR for another configuration)
	@scripts/run-demo $(or $(CONFIG),Rules)

demo: build ## browse the five-viewer example and two accounts under guard; without a display it leaves screenshots (OUT=DIR)
	@scripts/install-dependencies --for-tests
	@scripts/demo-qtwebengine $(OUT)

install: build ## install the program, its units, manual and completions, the extension, the clients (DESTDIR=, PREFIX=)
	@DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) scripts/install

deb: build ## make Debian packages into .build/debian, with the Swift run-time linked in
	@scripts/install-dependencies --for-packages
	scripts/package-debian

quick: ## build and test in debug what is quick, in the loop of an edit (OF=PolicyEngine for one module)
	$(if $(OF),WEBVIEWGUARD_SUITES=$(OF)Tests) swift build --build-tests
	$(if $(OF),WEBVIEWGUARD_SUITES=$(OF)Tests) swift test --skip-build $(QUICK_SKIPS)

# They start the program, or need many cases before rare ones are among them.
QUICK_SKIPS := $(addprefix --skip ,AcceptanceTests CommandTests Agreement Property Keeping Memory)

check: test-dependencies ## test before a commit: in a few minutes, what finds most mistakes
	scripts/lanes check

test: dependencies ## test what CI tests, several parts at a time; the parts of the night too that the last changes touch
	scripts/lanes test $(if $(SINCE),--since $(SINCE))

nightly: dependencies ## run every test, with all cases
	scripts/lanes nightly

build-tests: dependencies
	$(BUILD) --build-tests

test-swift: build-tests ## run the Swift suites, in release since some judge a million cases (EFFORT=10 for a tenth of them)
	WEBVIEWGUARD_EFFORT=$(or $(EFFORT),100) swift test -c release --skip-build $(SWIFT_ONLY) $(if $(SWIFT_XUNIT),--xunit-output $(SWIFT_XUNIT))

test-rules: ## check and test the configurations under Rules/, and the rows of the ledger that are policy tests
	$(PROGRAM) check Rules Rules/templates/*
	$(PROGRAM) test Rules Rules/templates/* Tests/Vectors/ledger

$(VENV)/bin/python: Tests/System/varlink/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement $<
	@touch $@

test-readme: ## run the README's commands and the examples in docs/, and compare
	python3 scripts/update-readme --check
	scripts/check-docs

test-interop: $(VENV)/bin/python ## talk to the daemon with the public Python varlink package
	$(VENV)/bin/python $(SYSTEM)/varlink/run.py

test-clients: ## test the clients for Python and C, with daemons that lie and with the real one
	/usr/bin/python3 clients/python/tests/run.py
	/usr/bin/python3 clients/c/tests/run.py

test-javascript: ## test the client for JavaScript, with daemons that lie and with the real one (NAMES="real sync")
	node clients/javascript/tests/run.js $(NAMES)

test-electron: ## try the JavaScript client in a real Electron of an unknown uploader: as nobody, without a network (as root)
	@scripts/install-dependencies --for-wayland
	scripts/test-electron $(NAMES)

test-sealed: ## seal four gibibytes with the clients and the command, in constant memory; end the daemon at each operation on keys (EFFORT=10 for a tenth of it)
	WEBVIEWGUARD_EFFORT=$(or $(EFFORT),100) /usr/bin/python3 clients/c/tests/run.py Sealed.test_any_size_takes_the_memory_of_a_few_chunks
	WEBVIEWGUARD_EFFORT=$(or $(EFFORT),100) /usr/bin/python3 clients/python/tests/run.py Streams.test_memory_is_constant
	WEBVIEWGUARD_EFFORT=$(or $(EFFORT),100) /usr/bin/python3 $(SYSTEM)/attacks/run.py AnySize EscrowKills

test-linkage: ## link the example of the Swift client and look at what it needs (RELINKED=1 with what is built already)
	/usr/bin/python3 $(SYSTEM)/linkage/run.py $(if $(RELINKED),--relinked)

test-install: ## install into a directory, and see that what browsers and compilers look for is there
	scripts/check-install

comma := ,

test-production: ## what production does to a daemon: kills, power cuts, bad disks, attacks, floods, and what it tells (OF=log KILLS=20)
	for part in $(or $(OF),log wipes attacks seeing kit refresh speed); do \
	  echo "== $$part"; case $$part in log|wipes) kills="--kills $(or $(KILLS),200)";; *) kills=;; esac; \
	  /usr/bin/python3 $(SYSTEM)/$$part/run.py $$kills $(subst $(comma), ,$(NAMES)) || exit 1; done

test-systemd: ## install the packages in a booted systemd, and follow them from the first question to the purge (as root)
	@scripts/install-dependencies --for-packages
	/usr/bin/python3 $(SYSTEM)/systemd/run.py

SOAK := /usr/bin/python3 $(SYSTEM)/soak/run.py

soak: build ## mixed traffic from clients that die, lag and lie, every answer judged (SECONDS=3600 SEED=7)
	$(SOAK) --seconds $(or $(SECONDS),3600) $(if $(SEED),--seed $(SEED)) --program $(PROGRAM)

SANITIZERS := $(or $(SANITIZER),thread address)

sanitized: dependencies ## build the program for each of the sanitizers (SANITIZER=thread for one)
	for sanitizer in $(SANITIZERS); do swift build --sanitize=$$sanitizer --scratch-path .build/$$sanitizer \
	  --disable-index-store --product webviewguard || exit 1; done

test-sanitized: sanitized ## a minute of the same under ThreadSanitizer and under AddressSanitizer (SANITIZER=thread for one)
	for sanitizer in $(SANITIZERS); do echo "== $$sanitizer"; \
	  $(SOAK) --seconds $(or $(SECONDS),60) --sanitizer $$sanitizer --program .build/$$sanitizer/debug/webviewguard \
	    --judge $(PROGRAM) || exit 1; done

test-browsers: ## try every way out with real engines; the site's own access log is the judge (ENGINE=webkitgtk for one; with qtwebengine BINDING=pyside6)
	failed=; for engine in $(or $(ENGINE),qtwebengine webkitgtk webkitpack chromium firefox nativehost exports); do \
	  echo "== $$engine"; /usr/bin/python3 $(ENGINES)/$$engine/run.py $(if $(BINDING),--binding $(BINDING)) || failed="$$failed $$engine"; done; \
	  [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

test-webkit-sanitized: ## the library for WebKitGTK and WPE with the address and behaviour sanitizers, in a browser
	/usr/bin/python3 $(ENGINES)/webkitpack/run.py --sanitize
	/usr/bin/python3 $(ENGINES)/wpe/run.py --sanitize Pasting PastingShortTexts Frames Downloads Clicks Killed Lying

test-wpe: ## try every way out with WPE WebKit, the engine of cog; installs it
	@scripts/install-dependencies --for-wpe
	/usr/bin/python3 $(ENGINES)/wpe/run.py $(NAMES)

test-cef: ## try every way out with CEF: downloads a pinned package of 124 MB into .build/cef (never in CI); installs sway
	@scripts/install-dependencies --for-wayland
	/usr/bin/python3 $(ENGINES)/cef/run.py
	/usr/bin/python3 $(ENGINES)/cef/run.py --wayland
	/usr/bin/python3 $(ENGINES)/cef/run.py --native

test-foreign: ## run `selftest` against programs that others wrote; installs browsers, takes pywebview and CEF from PyPI (never in CI)
	@scripts/install-dependencies --for-foreign
	/usr/bin/python3 $(ENGINES)/foreign/run.py $(NAMES)

test-wayland: ## read the clips of managed pages with wl-paste, as other programs of a Wayland desktop do; installs sway
	@scripts/install-dependencies --for-wayland
	/usr/bin/python3 $(ENGINES)/qtwebengine/run.py $(if $(BINDING),--binding $(BINDING)) --wayland
	/usr/bin/python3 $(ENGINES)/webkitpack/run.py --wayland

check-observations: ## hold the tables of docs/embedding.md to what the engines and foreign programs did
	/usr/bin/python3 $(ENGINES)/rig/table.py --check $(ENGINES)/*/observations.json
	/usr/bin/python3 $(ENGINES)/foreign/table.py

BENCH := .build/bench/swift

bench: build ## measure beside the peers, a table and docs/benchmarks.* (QUICK=1 for a smoke run, PARTS="parse classify")
	$(if $(filter-out sockets,$(or $(PARTS),all)),swift build -c release --package-path Benchmarks \
	  --scratch-path $(BENCH) --product measure)
	Benchmarks/bench $(if $(QUICK),--quick) $(PARTS)

instructions: build ## count the instructions of a decision on the event loop, and hold them (PROGRAM=FILE for another)
	@scripts/install-dependencies --for-tests
	Benchmarks/instructions --program $(PROGRAM)

sealing-speed: build ## tell how fast each client seals beside openssl, and hold C to 0.9 of its limit
	Benchmarks/sealing --gate

bench-engines: build ## measure what the guard adds to a navigation, for each engine, into docs/engine-cost.json
	@scripts/install-dependencies --for-tests
	/usr/bin/python3 $(ENGINES)/rig/costs.py

oracle: ## ask a real Chromium how it reads URLs, patterns and block lists (PART=url, pattern or blocklist for one)
	@scripts/install-dependencies --for-oracle
	$(BUILD) --product webviewguard
	$(BUILD) --product pattern-reader
	/usr/bin/python3 Tests/Oracle/run.py $(PART)

same: build ## hold the program to another in all it says, logs and keeps (BASE=program SEED=7 ROUNDS=3 PART=offline)
	/usr/bin/python3 $(SYSTEM)/same/run.py $(or $(BASE),$(error say BASE=, the program that this one shall equal)) $(PROGRAM) \
	  $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(PART)

check-house: ## hold the modules to their arrows and forbidden imports
	python3 scripts/check-house
	python3 scripts/check-house --self-test

check-rows: ## hold the tests to the ledger, row by row
	python3 scripts/check-rows
	python3 scripts/check-rows --self-test

check-attacks: ## see that the tests which docs/security.md names exist
	scripts/check-attacks
	scripts/check-attacks --self-test

check-lanes: ## see that every test belongs to a lane, and is counted
	scripts/lanes --every-test
	scripts/lanes --self-test
	python3 Tests/Support/python/tally.py --self-test

fuzz: dependencies ## fuzz the parsers and the index for a minute each (TARGET=RuleSet SECONDS=600 SEED=7)
	@scripts/fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0) $(if $(TARGET),--target $(TARGET))

FORMATTED := Package.swift Sources Tests Fuzzing Benchmarks/Package.swift Benchmarks/Sources/measure clients/swift/example

lint: ## check the formatting
	swift format lint --strict --recursive --parallel $(FORMATTED)

format: ## format the sources
	swift format --in-place --recursive --parallel $(FORMATTED)

clean: ## remove what was built
	rm -rf .build
