/** Nothing that the oldest browsers lack is used unasked, in scripts and in styles. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paths } from '../paths.ts';
import { Script } from './scripts.ts';
import { unguardedStyles } from './styles.ts';
import { whoLacks } from './support.ts';
import { keysIn, statements } from './syntax.ts';

type Files = [file: string, code: string][];

function inScripts(files: Files): string[] {
  const keys = new Set(files.flatMap(([file, code]) => statements(file, code).flatMap(keysIn)));
  const scripts = files.map(([file, code]) => ({ file, script: new Script(file, code, keys) }));
  const asked = scripts.flatMap(({ script }) => script.asks);
  return scripts.flatMap(({ file, script }) =>
    script
      .unguarded(asked)
      .map(
        ({ line, feature }) => `${file}:${line}: ${feature.name} is not in ${whoLacks(feature)}`,
      ),
  );
}

const inStyles = (files: Files): string[] =>
  files.flatMap(([file, code]) =>
    unguardedStyles(code).map(
      ({ line, feature, why }) =>
        `${file}:${line}: ${feature.name} is not in ${whoLacks(feature)}, and ${why}`,
    ),
  );

const inCode = (code: string) => inScripts([['a.tsx', code]]);

describe('a script is told of', () => {
  it.each([
    [
      'const url = 1;\nconst page = URL.parse(text);',
      'a.tsx:2: URL.parse is not in Chrome before 126, Firefox before 126, Safari before 18',
    ],
    ['requestIdleCallback(work);', 'a.tsx:1: requestIdleCallback is not in Safari'],
    ['window.requestIdleCallback(work);', 'a.tsx:1: requestIdleCallback is not in Safari'],
    [
      'document.startViewTransition(swap);',
      'a.tsx:1: document.startViewTransition is not in Firefox before 144, Safari before 18',
    ],
    [
      'navigation.addEventListener("navigate", go);',
      'a.tsx:1: navigation is not in Firefox before 147, Safari before 26.2',
    ],
    [
      'const { navigation } = window;\nnavigation.reload();',
      'a.tsx:1: navigation is not in Firefox before 147, Safari before 26.2',
    ],
    [
      'const go = (menu: HTMLElement) => menu.showPopover();',
      'a.tsx:1: HTMLElement.showPopover is not in Firefox before 125',
    ],
    ['menu.matches(":popover-open");', 'a.tsx:1: :popover-open is not in Firefox before 125'],
    [
      'const box = <dialog closedby="any" />;',
      'a.tsx:1: closedby is not in Chrome before 134, Firefox before 141, Safari',
    ],
    [
      'box.setAttribute("closedby", "any");',
      'a.tsx:1: closedby is not in Chrome before 134, Firefox before 141, Safari',
    ],
    [
      'const all = Object.groupBy(list, kind);',
      'a.tsx:1: Object.groupBy is not in Safari before 17.4',
    ],
    [
      'if (URL.parse(text)) go();',
      'a.tsx:1: URL.parse is not in Chrome before 126, Firefox before 126, Safari before 18',
    ],
    [
      'const has = () => "popover" in HTMLElement.prototype;\nconst go = () => URL.parse(text);',
      'a.tsx:2: URL.parse is not in Chrome before 126, Firefox before 126, Safari before 18',
    ],
  ])('%s', (code, told) => {
    expect(inCode(code)).toEqual([told]);
  });
});

describe('a script may use what it asks for', () => {
  it.each([
    'const page = "parse" in URL ? URL.parse(text) : new URL(text);',
    'if (typeof URL.parse === "function") go(URL.parse(text));',
    'const page = URL.parse?.(text);',
    'if (document.startViewTransition) document.startViewTransition(swap);',
    'document.startViewTransition?.(swap);',
    'const go = () => { if (!("startViewTransition" in document)) return swap(); document.startViewTransition(swap); };',
    'const able = "requestIdleCallback" in window;\nconst go = () => (able ? requestIdleCallback(work) : setTimeout(work));',
    'const go = () => { if (!("requestIdleCallback" in window)) return; const id = requestIdleCallback(work); return () => cancelIdleCallback(id); };',
    'const go = () => { const { navigation } = window; if (!navigation) return; navigation.reload(); };',
    'window.navigation?.addEventListener("navigate", go);',
    'const isOpen = (menu: Element) => { try { return menu.matches(":popover-open"); } catch { return false; } };',
    'const go = () => CSS.supports("selector(:popover-open)") && menu.matches(":popover-open");',
    'const has = "popover" in HTMLElement.prototype;\nconst menu = <div popover="auto" />;',
    'import { z } from "zod";\nconst either = z.union([a, b]);',
    'const named = { union: true };\nconst either = named.union;',
    'element.style.animation = "none";\nconst open = (event: NavigateEvent) => (event as Event).type;',
  ])('%s', (code) => {
    expect(inCode(code)).toEqual([]);
  });
});

it('a style may be passed over alone, but takes nothing along', () => {
  expect(
    inStyles([['a.css', '.a:has(b) { color: red }\n.c:is(:popover-open, [open]), d { top: 0 }']]),
  ).toEqual([]);
  expect(inStyles([['a.css', '@supports (anchor-name: --a) { .a { anchor-name: --a } }']])).toEqual(
    [],
  );
  expect(inStyles([['a.css', '.a {\n  anchor-name: --a;\n}\n.b, .c:has(d) { top: 0 }']])).toEqual([
    'a.css:2: anchor-name is not in Chrome before 125, Firefox before 147, Safari before 26, and stands outside of @supports',
    'a.css:4: :has is not in Firefox before 121, and takes the rest of its list along',
  ]);
});

/** Files of `web/src` that reach a browser. */
const read = (pattern: string): Files =>
  globSync(pattern, { cwd: join(paths.web, 'src') })
    .filter((file) => !/\.test\.|\.d\.ts$|^dev\/|^entry-server/.test(file))
    .map((file) => [`src/${file}`, readFileSync(join(paths.web, 'src', file), 'utf8')]);

it('no script of the site uses unasked what a browser on the list lacks', () => {
  expect(inScripts(read('**/*.{ts,tsx}'))).toEqual([]);
});

it('nor does a style', () => {
  expect(inStyles(read('**/*.css'))).toEqual([]);
});
