#!/usr/bin/env node
// Third-party code in the program, from the lock files. `check` fails on a licence that isn't allowed; `copyright`
// prints an overview, `texts` the licences in full, and `bom` a bill of materials (CycloneDX). The output depends only on
// the commit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Allowed in a program that is given away under the MIT licence. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  'CDLA-Permissive-2.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
  'blessing',
]);

/** Names of files that contain a licence. */
const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense|ofl)/i;

const read = (...path) => readFileSync(join(...path), 'utf8');
const by = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);

function texts(folder) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const ours = names.map(({ name }) => name).filter((name) => LICENCE_FILE.test(name));
  return ours.sort().map((name) => read(folder, name).replaceAll('\r\n', '\n').trim());
}

/** The crates in the binary, without those that only build or test it. */
function crates() {
  const target = execFileSync('rustc', ['-vV'], { encoding: 'utf8' }).match(/host: (.*)/)[1];
  const metadata = JSON.parse(
    execFileSync('cargo', ['metadata', '--format-version=1', '--locked', `--filter-platform=${target}`], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }),
  );
  const sums = new Map(
    [...read(ROOT, 'Cargo.lock').matchAll(/name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"/g)].map(
      ([, name, version, sum]) => [`${name}@${version}`, sum],
    ),
  );
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const packages = new Map(metadata.packages.map((each) => [each.id, each]));
  const used = (id) =>
    nodes
      .get(id)
      .deps.filter(({ dep_kinds }) => dep_kinds.some(({ kind }) => kind === null))
      .map(({ pkg }) => pkg);
  const purl = (id) => `pkg:cargo/${packages.get(id).name}@${packages.get(id).version}`;
  const seen = new Set([metadata.resolve.root]);
  for (const id of seen) for (const next of used(id)) seen.add(next);
  const graph = new Map([...seen].map((id) => [purl(id), used(id).map(purl).sort()]));
  seen.delete(metadata.resolve.root);
  const parts = [...seen].map((id) => {
    const { name, version, license, authors, manifest_path } = packages.get(id);
    const folder = dirname(manifest_path);
    return { name, version, licence: license, authors, purl: purl(id), sha256: sums.get(`${name}@${version}`), folder };
  });
  return { parts, graph };
}

/** Third-party code sent to browsers: the dependencies of the pages and of the desk, and the fonts. */
function npmPackages() {
  const parts = new Map();
  for (const part of ['web', 'desk'].flatMap((app) => packagesOf(join(ROOT, app)))) parts.set(part.purl, part);
  return [...parts.values()];
}

function packagesOf(app) {
  const { dependencies, devDependencies } = JSON.parse(read(app, 'package.json'));
  const fonts = Object.keys(devDependencies).filter((name) => name.startsWith('@fontsource'));
  const names = new Set([...Object.keys(dependencies), ...fonts]);
  const parts = [];
  for (const name of names) {
    const folder = join(app, 'node_modules', name);
    const { version, license, author, dependencies: more = {} } = JSON.parse(read(folder, 'package.json'));
    for (const next of Object.keys(more)) names.add(next);
    const authors = [typeof author === 'object' ? author.name : author].filter(Boolean);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    parts.push({ name, version, licence: license, authors, purl, folder });
  }
  return parts;
}

/** SQLite, whose C code is part of a crate. */
function sqlite(parts) {
  const { folder } = parts.find(({ name }) => name === 'libsqlite3-sys');
  const version = read(folder, 'sqlite3', 'sqlite3.h').match(/#define SQLITE_VERSION +"(.*)"/)[1];
  return { name: 'sqlite', version, licence: 'blessing', authors: ['D. Richard Hipp'], purl: `pkg:generic/sqlite@${version}` };
}

/** Whether a licence expression like `MIT OR (A AND B)` can be met with allowed licences. */
function isAllowed(expression) {
  const words = (expression ?? '').replaceAll('/', ' OR ').match(/\(|\)|[^\s()]+/g) ?? [];
  const either = () => {
    let good = both();
    while (words[0] === 'OR') {
      words.shift();
      good = both() || good;
    }
    return good;
  };
  const both = () => {
    let good = one();
    while (words[0] === 'AND') {
      words.shift();
      good = one() && good;
    }
    return good;
  };
  const one = () => {
    let word = words.shift();
    if (word === '(') {
      const good = either();
      words.shift();
      return good;
    }
    if (words[0] === 'WITH') word += ` ${words.shift()} ${words.shift()}`;
    return ALLOWED.has(word);
  };
  return words.length > 0 && either() && words.length === 0;
}

function all() {
  const { parts, graph } = crates();
  parts.push(...npmPackages(), sqlite(parts));
  return { parts: parts.sort(by(({ purl }) => purl)), graph };
}

function check({ parts }) {
  const wrong = parts.filter(({ licence }) => !isAllowed(licence));
  for (const { purl, licence } of wrong) console.error(`${purl}: ${licence ?? 'no licence'} is not allowed`);
  if (wrong.length > 0) process.exit(1);
  console.log(`${parts.length} parts, all under licences that are allowed`);
}

function copyright({ parts }) {
  const lines = parts.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`);
  console.log(`frontdoor

${read(ROOT, 'LICENSE').trim()}

It is made of these parts, whose licences are printed in full in THIRD-PARTY.txt. On Debian the
Apache License 2.0 is also in /usr/share/common-licenses/Apache-2.0.

${lines.join('\n')}

The outline of Ontario is derived from the map of Canada by MapSVG (mapsvg.com), under Creative Commons
Attribution 4.0, and from us-atlas (ISC licence, made from public domain files).`);
}

function fullTexts({ parts }) {
  const owners = new Map();
  for (const { name, version, licence, authors, folder } of parts) {
    const found = folder ? texts(folder) : [];
    const words = found.length > 0 ? found : [`Licence: ${licence}\nAuthors: ${authors.join(', ') || 'see its source'}`];
    for (const text of words) owners.set(text, [...(owners.get(text) ?? []), `${name} ${version}`]);
  }
  const rule = '='.repeat(80);
  for (const [text, names] of owners) console.log(`${rule}\n${names.join(', ')}\n${rule}\n\n${text}\n`);
}

function bom({ parts, graph }) {
  const version = read(ROOT, 'Cargo.toml').match(/^version = "(.*)"/m)[1];
  const own = `pkg:cargo/frontdoor@${version}`;
  const components = parts.map(({ name, version, licence, purl, sha256 }) => ({
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(sha256 ? { hashes: [{ alg: 'SHA-256', content: sha256 }] } : {}),
    licenses: [{ expression: licence.replaceAll('/', ' OR ') }],
    purl,
  }));
  const shipped = components.map(({ purl }) => purl).filter((purl) => !purl.startsWith('pkg:cargo/'));
  const dependencies = [...graph].map(([ref, dependsOn]) => ({
    ref,
    dependsOn: ref === own ? [...dependsOn, ...shipped].sort() : dependsOn,
  }));
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  const digest = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString().replace('.000', ''),
      component: { type: 'application', 'bom-ref': own, name: 'frontdoor', version, purl: own },
    },
    components,
    dependencies: dependencies.sort(by(({ ref }) => ref)),
  };
  console.log(JSON.stringify(document, null, 2));
}

const tasks = { check, copyright, texts: fullTexts, bom };
const task = tasks[process.argv[2]];
if (!task) {
  console.error(`usage: third-party.mjs ${Object.keys(tasks).join('|')}`);
  process.exit(2);
}
task(all());
