# frontdoor: `make run` serves the site, `make test` runs every test there is.
SHELL := bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
# Targets that don't depend on each other run at once: npm installs while Rust compiles.
MAKEFLAGS += --jobs=4

# Folders are listed, too, because only they change when a file is removed. Names of photos may contain spaces.
WEB_SOURCES := $(shell find contract web/pictures) web/vite.config.ts web/tsconfig.json \
  $(shell find web/src web/build -type f ! -name '*.test.*')
CONTENT := $(shell find content | sed 's/ /\\ /g')
DESK_SOURCES := desk/index.html desk/vite.config.ts desk/tsconfig.json web/tsconfig.json $(shell find desk/src desk/build -type f ! -name '*.test.*')

.PHONY: run publish dev test chaos check build package bench screenshots web web-for-tests desk program \
  rust-dependencies npm tools test-tools chaos-tools bench-tools package-tools check-format check-rust check-web \
  check-desk check-e2e check-bench web-tests desk-tests rust-tests-built rust-tests browser-tests

## Installs, builds and serves the site on http://127.0.0.1:8080, data in ./data.
run: program
	@exec target/debug/frontdoor serve

## Builds the content and publishes it to the running site: on this machine (data/frontdoor.db, or DATABASE_URL), or
## with SERVER=user@host on that server. Takes seconds and needs no compiler.
publish: web
	@[ -z "$${SERVER:-}" ] || exec scripts/publish-to "$$SERVER"
	program=$$(ls -t target/release/frontdoor target/debug/frontdoor 2>/dev/null | head --lines=1 || true)
	[ -n "$$program" ] || { $(MAKE) program; program=target/debug/frontdoor; }
	"$$program" publish web/dist

## The site with hot reload on http://127.0.0.1:5173; forms go to the server as it was last built.
dev: web/node_modules/.package-lock.json $(if $(wildcard target/debug/frontdoor),,program)
	@target/debug/frontdoor serve $(if $(wildcard web/dist/site.pack),--site web/dist) & server=$$!
	trap 'kill $$server' EXIT
	cd web && npm run --silent dev

## target/release/frontdoor: one file with every page inside.
build: web desk
	cargo build --release

## target/package: a Debian package and a tarball, reproducible byte for byte.
package: package-tools web desk
	@scripts/package

## Formatting, lints, types. Seconds, no browser.
check: check-rust check-web check-desk check-e2e check-bench

check-rust: check-format web desk
	cargo clippy --quiet --all-targets -- --deny warnings

check-format: tools
	@cargo fmt --check

# The desk's check uses a script of the site's.
check-web check-desk: check-%: %/node_modules/.package-lock.json web/node_modules/.package-lock.json
	@cd $* && npm run --silent check

check-e2e check-bench: check-%: web/node_modules/.package-lock.json %/node_modules/.package-lock.json
	@cd $* && npm run --silent check

## Every test: Rust, web, and the real program in real browsers.
test: rust-dependencies test-tools check-format check-web check-desk check-e2e check-bench web-tests desk-tests \
  rust-tests browser-tests
# Clippy compiles what is tested: a separate pass over every package would take a minute longer.
test: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
test: export CLIPPY_ARGS := --deny=warnings__CLIPPY_HACKERY__
# On a fresh clone nothing is kept for the next compilation: that takes a third less time than the first one with it.
test: export CARGO_INCREMENTAL := $(if $(wildcard target/debug/incremental),1,0)
# The program under test uses the content of tests/content, so the owner's content breaks no test.
test chaos: export FRONTDOOR_WEB_DIST := $(CURDIR)/web/dist/tests

# `nice`: little waits for them, while the Rust tests can't begin before everything is compiled.
web-tests: check-web web-for-tests
	@cd web && nice --adjustment=5 npm test

desk-tests: check-desk
	@cd desk && npm test

rust-tests-built: rust-dependencies web-for-tests desk
	@cargo build --quiet --all-targets

rust-tests: test-tools rust-tests-built
	@scripts/rust-tests

# Last and alone: browsers need the whole machine.
browser-tests: test-tools check-e2e web-tests desk-tests rust-tests e2e/html-checker/node_modules/.package-lock.json
	@cargo build --quiet
	cd e2e && npm test

## The long fault tests (kills, replicas, failover, disk, files, clock, a million leads), with figures. It ends within
## 30 minutes.
chaos: chaos-tools web-for-tests desk
	FRONTDOOR_TEST_LONG=1 timeout 30m scripts/rust-tests faults:: replicas:: moving:: plan_tests:: clock newsletter::interruptions

## Every benchmark against its peers in one run; writes bench/results. Leave the machine alone meanwhile.
bench: bench-tools build e2e/node_modules/.package-lock.json bench/node_modules/.package-lock.json \
  bench/peers/node_modules/.package-lock.json bench/peers/astro/node_modules/.package-lock.json
	@cd bench && npm run --silent bench

## docs/screenshots, from the real program.
screenshots: test-tools program e2e/node_modules/.package-lock.json
	@cd e2e && npm run --silent screenshots

# target/debug/frontdoor, unoptimised, which compiles faster.
program: web desk rust-dependencies
	@cargo build

# Compiles the crates that the program depends on. They need no pages, so this runs while npm builds those.
rust-dependencies: tools
	@cargo build --lib $$(cargo tree --depth 1 --edges normal --prefix none |
	  awk 'NR > 1 { print "--package", $$1 "@" substr($$2, 2) }')

web: web/dist/.built

desk: desk/dist/index.html

# The owner's desk, which is compiled into the program.
desk/dist/index.html: $(DESK_SOURCES) desk/node_modules/.package-lock.json
	@cd desk && npm run --silent build

# A file of its own for make: the build leaves an unchanged site.pack untouched, so the program isn't compiled again.
web/dist/.built: $(WEB_SOURCES) $(CONTENT) web/node_modules/.package-lock.json
	@cd web && npm run --silent build && touch dist/.built

web-for-tests: web/dist/tests/.built

# Always built as of the same day, so that the copyright year and the posts in the future stay the same.
web/dist/tests/.built: export FRONTDOOR_CONTENT := $(CURDIR)/tests/content
web/dist/tests/.built: export FRONTDOOR_WEB_DIST := $(CURDIR)/web/dist/tests
web/dist/tests/.built: $(WEB_SOURCES) $(shell find tests/content) web/node_modules/.package-lock.json
	@export SOURCE_DATE_EPOCH=$$(date --utc --date='2026-11-18 12:00' +%s)
	cd web && npm run --silent build && touch dist/tests/.built

# Not `npm ci`: it fails if the lock file lacks the optional packages of another platform.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json | npm
	@cd $* && npm install --no-save --no-audit --no-fund --prefer-offline --loglevel=error && touch node_modules/.package-lock.json

npm:
	@command -v npm >/dev/null || { echo "frontdoor needs npm: install Node 20 or later" >&2; exit 1; }

tools: npm
	@command -v cargo >/dev/null || { echo "frontdoor needs cargo: install Rust (stable)" >&2; exit 1; }
	[ -e target ] || echo "The first build compiles SQLite, TLS and the pages: two minutes or more. Later ones take seconds."

test-tools: tools
	@scripts/install-tools chromium chromium-headless-shell firefox-esr webkit2gtk-driver xvfb default-jre-headless nginx postgresql prometheus systemd caddy

chaos-tools: tools
	@scripts/install-tools nginx postgresql

package-tools: tools
	@scripts/install-tools dpkg-dev lintian

bench-tools: tools
	@scripts/install-tools chromium nginx libnginx-mod-http-brotli-static wrk postgresql
