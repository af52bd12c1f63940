/** Which browsers have which part of the platform, from MDN's compatibility data. */
import { createRequire } from 'node:module';
import { oldest } from '../oldest.ts';

type Statement = {
  version_added: string | boolean | null;
  version_removed?: string;
  flags?: unknown;
  prefix?: string;
  alternative_name?: string;
};
/** Groups of features; one of them has its facts under `__compat`. */
type Entry = { [name: string]: Entry };
type Facts = { support: Record<string, Statement | Statement[]> };
type Browser = keyof typeof oldest;

export type Feature = {
  name: string;
  /** The first version that has it; none has it: infinity. */
  since: Record<Browser, number>;
};

const browsers = Object.keys(oldest) as Browser[];
// Twenty megabytes, which the test runner would take a minute to turn into a module.
const tree: Entry = createRequire(import.meta.url)('@mdn/browser-compat-data');

const at = (...path: string[]): Entry | undefined =>
  path.reduce<Entry | undefined>((entry, name) => entry?.[name], tree);

function feature(name: string, entry: Entry | undefined): Feature | undefined {
  const facts = entry?.__compat as unknown as Facts | undefined;
  if (!facts) return undefined;
  const since = browsers.map((browser) => [browser, firstVersion(facts.support[browser])]);
  return { name, since: Object.fromEntries(since) };
}

function firstVersion(support: Statement | Statement[] | undefined): number {
  const plain = [support ?? []]
    .flat()
    .filter(({ flags, prefix, alternative_name }) => !(flags || prefix || alternative_name));
  const starts = plain.map(({ version_added }) => version_added);
  // What was removed and is back in the same version was never gone, only incomplete.
  const lasting = plain.filter(
    ({ version_removed }) => !version_removed || starts.includes(version_removed),
  );
  return Math.min(...lasting.map(({ version_added }) => versionNumber(version_added)), Infinity);
}

/** Some are only known to be at least that old: `≤80`. */
const versionNumber = (version: Statement['version_added']) =>
  typeof version === 'string' && version !== 'preview'
    ? Number(version.replace('≤', ''))
    : Infinity;

const isMissing = ({ since }: Feature) =>
  browsers.some((browser) => since[browser] > oldest[browser]);

/** A browser that has `asked` has the other, too: asking for one is asking for both. */
export const comesWith = (asked: Feature, other: Feature) =>
  browsers.every(
    (browser) =>
      other.since[browser] <= oldest[browser] || other.since[browser] <= asked.since[browser],
  );

/** "Firefox before 126, Safari before 18" */
export function whoLacks({ since }: Feature): string {
  const lacking = browsers.filter((browser) => since[browser] > oldest[browser]);
  return lacking
    .map((browser) => {
      const name = browser[0]?.toUpperCase() + browser.slice(1);
      return Number.isFinite(since[browser]) ? `${name} before ${since[browser]}` : name;
    })
    .join(', ');
}

/** Only if all of them are missing somewhere: one that is old enough is what was meant. */
const missing = (features: (Feature | undefined)[]): Feature | undefined => {
  const known = features.filter((each) => each !== undefined);
  return known.every(isMissing) ? known[0] : undefined;
};

const types = new Map([
  ['document', 'Document'],
  ['navigator', 'Navigator'],
]);

/** A name that stands alone: `requestIdleCallback`, `Navigation`. */
export const missingGlobal = (name: string) =>
  missing([
    feature(name, at('api', 'Window', name)),
    feature(name, at('api', name)),
    feature(name, at('javascript', 'builtins', name)),
  ]);

/** A member of something with a name: `URL.parse`, `document.startViewTransition`. */
export function missingMember(owner: string, member: string): Feature | undefined {
  if (/^(window|self|globalThis)$/.test(owner)) return missingGlobal(member);
  const type = types.get(owner) ?? owner;
  const name = `${owner}.${member}`;
  const known = [
    feature(name, at('api', type, `${member}_static`)),
    feature(name, at('api', type, member)),
    feature(name, at('javascript', 'builtins', type, member)),
  ].filter((each) => each !== undefined);
  return known.length > 0 ? missing(known) : missingAnywhere(member);
}

const members = new Map<string, Feature[]>();
const builtins = ['javascript', 'builtins'];
for (const kinds of [at('api'), at(...builtins), at(...builtins, 'Intl')]) {
  for (const [type, entry] of Object.entries(kinds ?? {})) {
    for (const member of Object.keys(entry)) {
      const name = member.replace(/_static$/, '');
      const found = feature(`${type}.${name}`, entry[member]);
      if (found) members.set(name, [...(members.get(name) ?? []), found]);
    }
  }
}

/** A member of who knows what: missing if it is in every type that has one of that name. */
export const missingAnywhere = (member: string) => missing(members.get(member) ?? []);

/** An attribute of HTML, as the page spells it. */
export function missingAttribute(tag: string | undefined, attribute: string) {
  const name = attribute.toLowerCase();
  const tags = tag ? [tag] : Object.keys(at('html', 'elements') ?? {});
  return missing([
    feature(name, at('html', 'global_attributes', name)),
    ...tags.map((each) => feature(name, at('html', 'elements', each, name))),
  ]);
}

/** The pseudo-classes and pseudo-elements of a selector that are missing somewhere. */
export const missingSelectors = (selector: string): Feature[] =>
  [...selector.matchAll(/::?([a-z-]+)/g)].flatMap(
    ([text, name = '']) => missing([feature(text, at('css', 'selectors', name))]) ?? [],
  );

export const missingProperty = (name: string) =>
  missing([feature(name, at('css', 'properties', name))]);

export const missingAtRule = (name: string) =>
  missing([feature(`@${name}`, at('css', 'at-rules', name))]);

export const missingFunctions = (value: string): Feature[] =>
  [...value.matchAll(/([a-z-]+)\(/g)].flatMap(([, name = '']) => {
    const types = Object.values(at('css', 'types') ?? {});
    const found = [at('css', 'types', name), ...types.map((type) => type[name])];
    return missing(found.map((entry) => feature(`${name}()`, entry))) ?? [];
  });
