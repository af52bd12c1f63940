# frontdoor: `make run` serves the site, `make test` runs every test there is.
SHELL := bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
# What does not wait for another runs beside it: npm installs while Rust compiles.
MAKEFLAGS += --jobs=4

# Folders too: a file that was taken away changes nothing else. Photos may have spaces in their names.
WEB_SOURCES := $(shell find contract web/pictures) web/vite.config.ts web/tsconfig.json \
  $(shell find web/src web/build -type f ! -name '*.test.*')
CONTENT := $(shell find content | sed 's/ /\\ /g')
DESK_SOURCES := desk/index.html desk/vite.config.ts desk/tsconfig.json web/tsconfig.json $(shell find desk/src desk/build -type f ! -name '*.test.*')

.PHONY: run publish dev test chaos check build package bench screenshots web web-for-tests desk desk-tests check-desk program packages npm tools test-tools \
  chaos-tools bench-tools package-tools check-format check-rust check-web check-e2e check-bench web-tests rust-tests-built \
  rust-tests browser-tests

## Installs, builds and serves the site on http://127.0.0.1:8080, data in ./data.
run: program
	@exec target/debug/frontdoor serve

## Builds the content and shows it on the running site: here (data/frontdoor.db, or DATABASE_URL), or on the server
## of SERVER=user@host. Seconds, and no compiler.
publish: web
	@[ -z "$${SERVER:-}" ] || exec scripts/publish-to "$$SERVER"
	program=$$(ls -t target/release/frontdoor target/debug/frontdoor 2>/dev/null | head --lines=1 || true)
	[ -n "$$program" ] || { $(MAKE) program; program=target/debug/frontdoor; }
	"$$program" publish web/dist

## The same with hot reload, on http://127.0.0.1:5173; forms go to the program behind it, as it was last built.
dev: web/node_modules/.package-lock.json $(if $(wildcard target/debug/frontdoor),,program)
	@target/debug/frontdoor serve $(if $(wildcard web/dist/site.pack),--site web/dist) & server=$$!
	trap 'kill $$server' EXIT
	cd web && npm run --silent dev

## target/release/frontdoor: one file with every page inside.
build: web desk
	cargo build --release

## target/package: a Debian package and a tarball, the same bytes on every path.
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
test: test-tools check-format check-web check-desk check-e2e check-bench web-tests desk-tests rust-tests browser-tests
# Clippy itself compiles what is tested, all of it: a pass of its own over every package would take a minute more.
test: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
test: export CLIPPY_ARGS := --deny=warnings__CLIPPY_HACKERY__
# The program under test speaks for the company of tests/content: the owner's words may be any.
test chaos: export FRONTDOOR_WEB_DIST := $(CURDIR)/web/dist/tests

web-tests: check-web web-for-tests
	@cd web && npm test

desk-tests: check-desk
	@cd desk && npm test

rust-tests-built: packages web-for-tests desk
	@cargo build --quiet --benches
	scripts/rust-tests --no-run

rust-tests: test-tools rust-tests-built
	@scripts/rust-tests

# Browsers need the whole machine.
browser-tests: test-tools check-e2e web-tests desk-tests rust-tests e2e/html-checker/node_modules/.package-lock.json
	@cargo build --quiet
	cd e2e && npm test

## The long fault tests (kills, replicas, failover, disk, files, clock, a million leads), with figures; bounded in time.
chaos: chaos-tools web-for-tests desk
	FRONTDOOR_TEST_LONG=1 timeout 30m scripts/rust-tests faults:: replicas:: moving:: plan_tests:: clock newsletter::interruptions

## Every benchmark against its peers in one run; writes bench/results. Leave the machine alone meanwhile.
bench: bench-tools build e2e/node_modules/.package-lock.json bench/node_modules/.package-lock.json \
  bench/peers/node_modules/.package-lock.json bench/peers/astro/node_modules/.package-lock.json
	@cd bench && npm run --silent bench

## docs/screenshots, from the real program.
screenshots: test-tools program e2e/node_modules/.package-lock.json
	@cd e2e && npm run --silent screenshots

# target/debug/frontdoor, the one that is quick to build.
program: web desk packages
	@cargo build

# What the program stands on, which needs no page of ours.
packages: tools
	@cargo build $$(cargo tree --depth 1 --edges normal --prefix none |
	  awk 'NR > 1 { print "--package", $$1 "@" substr($$2, 2) }')

web: web/dist/.built

desk: desk/dist/index.html

# The owner's desk, which goes into the program as it is.
desk/dist/index.html: $(DESK_SOURCES) desk/node_modules/.package-lock.json
	@cd desk && npm run --silent build

# The packed site itself keeps its age when it stays the same, and so does the program.
web/dist/.built: $(WEB_SOURCES) $(CONTENT) web/node_modules/.package-lock.json
	@cd web && npm run --silent build && touch dist/.built

web-for-tests: web/dist/tests/.built

# On whatever day: a copyright, an end date and the posts that wait are the same.
web/dist/tests/.built: export FRONTDOOR_CONTENT := $(CURDIR)/tests/content
web/dist/tests/.built: export FRONTDOOR_WEB_DIST := $(CURDIR)/web/dist/tests
web/dist/tests/.built: $(WEB_SOURCES) $(shell find tests/content) web/node_modules/.package-lock.json
	@export SOURCE_DATE_EPOCH=$$(date --utc --date='2026-11-18 12:00' +%s)
	cd web && npm run --silent build && touch dist/tests/.built

# Not `npm ci`: it insists on the optional packages of every platform being in the lock file.
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
