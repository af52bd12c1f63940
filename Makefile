# frontdoor: `make run` serves the site, `make test` runs every test there is.
SHELL := bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run

WEB_SOURCES := $(shell find web/src web/build web/pictures content contract -type f) web/vite.config.ts web/tsconfig.json

.PHONY: run dev test chaos check build bench web screenshots tools test-tools bench-tools

## Installs, builds and serves the site on http://127.0.0.1:8080, data in ./data.
run: web
	@cargo build --release
	exec target/release/frontdoor serve

## The same with hot reload, on http://127.0.0.1:5173; forms go to the real server behind it.
dev: web
	@cargo build --quiet
	target/debug/frontdoor serve & server=$$!
	trap 'kill $$server' EXIT
	cd web && npm run --silent dev

## target/release/frontdoor: one file with every page inside.
build: web
	cargo build --release

## Formatting, lints, types. Seconds, no browser.
check: web e2e/node_modules/.package-lock.json bench/node_modules/.package-lock.json
	cargo fmt --check
	cargo clippy --quiet --all-targets -- --deny warnings
	cd web && npm run --silent check
	cd ../e2e && npm run --silent check
	cd ../bench && npm run --silent check

## Every test: Rust, web, and the real binary in a real browser.
test: test-tools check e2e/html-checker/node_modules/.package-lock.json
	cd web && npm test
	cd ..
	scripts/rust-tests
	cargo build --quiet
	cd e2e && npm test

## The long fault tests (kills, disk, files, clock), with figures; bounded in time.
chaos: tools
	FRONTDOOR_TEST_LONG=1 timeout 20m scripts/rust-tests faults:: outbox::clock newsletter::interruptions

## Every benchmark against its peers in one run; writes bench/results.md. Leave the machine alone meanwhile.
bench: bench-tools build bench/node_modules/.package-lock.json bench/peers/node_modules/.package-lock.json
	@cd bench && npm run --silent bench

## docs/screenshots, from the real binary.
screenshots: test-tools web e2e/node_modules/.package-lock.json
	cargo build --quiet
	cd e2e && npm run --silent screenshots

web: web/dist/manifest.json

web/dist/manifest.json: $(WEB_SOURCES) web/node_modules/.package-lock.json
	@cd web && npm run --silent build

# Not `npm ci`: it insists on the optional packages of every platform being in the lock file.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json | tools
	@cd $* && npm install --no-save --no-audit --no-fund --prefer-offline --silent && touch node_modules/.package-lock.json

tools:
	@for tool in cargo npm; do
	  command -v $$tool >/dev/null || { echo "frontdoor needs $$tool: install Rust (stable) and Node 20 or later" >&2; exit 1; }
	done

test-tools: tools
	@scripts/install-tools chromium postgresql default-jre-headless

bench-tools: tools
	@scripts/install-tools chromium nginx libnginx-mod-http-brotli-static wrk
