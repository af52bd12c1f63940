/** Words never stand in components: what a visitor reads or hears comes from `content/`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { paths } from './paths.ts';

const src = join(paths.web, 'src');
const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter(
  (file) => !/\.test\.|\.d\.ts$|^content\/|^dev\//.test(file),
);

/** Attributes whose value is shown or spoken. */
const spoken = /^(aria-(label|description|roledescription|valuetext)|title|alt|placeholder|label)$/;
/** Properties whose value is: `{ name: 'Home' }` in structured data. */
const named = /^(name|title|label|text|alt|description|headline|kicker|lead)$/;
const letters = /\p{L}/u;
/** As a name begins, or several words: not `meta`, not `og:title`. */
const prose = /^\p{Lu}\p{Ll}|\p{L} \p{L}/u;

type Node = { type: string; [key: string]: unknown };

function wordsIn(file: string, code: string): string[] {
  const { program } = parseSync(file, code);
  const found: string[] = [];
  const literals = (value: unknown): string[] => {
    const { type, value: text, expression, quasis } = (value ?? {}) as Node;
    if (type === 'Literal' && typeof text === 'string') return [text];
    if (type === 'JSXExpressionContainer') return literals(expression);
    if (type === 'TemplateLiteral')
      return (quasis as { value: { raw: string } }[]).map((part) => part.value.raw);
    return [];
  };
  const visit = (value: unknown) => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    const name = (node.name ?? node.key) as { name?: string; value?: string } | undefined;
    const key = String(name?.name ?? name?.value ?? '');
    if (node.type === 'JSXText') found.push(...[String(node.value)].filter((t) => letters.test(t)));
    if (node.type === 'JSXExpressionContainer')
      found.push(...literals(node).filter((text) => prose.test(text)));
    if (node.type === 'JSXAttribute') {
      if (spoken.test(key)) found.push(...literals(node.value).filter((t) => letters.test(t)));
      if (typeof node.value === 'object') visit((node.value as Node | null)?.expression);
      return;
    }
    if (node.type === 'Property' && named.test(key))
      found.push(...literals(node.value).filter((text) => prose.test(text)));
    Object.values(node).forEach(visit);
  };
  visit(program);
  return found.map((text) => text.trim());
}

it('finds the words of a page', () => {
  const page = `
    const crumb = { name: 'Home', path: '/' };
    const tag = { name: 'meta', title: words.title };
    export const Page = () => (
      <p title="A hint" aria-label={\`About \${name}\`} className="visually-hidden wide">
        Last updated: {date} {'in words'} · {words.text}
      </p>
    );`;
  expect(wordsIn('page.tsx', page)).toEqual([
    'Home',
    'A hint',
    'About',
    'Last updated:',
    'in words',
  ]);
});

describe('what a visitor reads is in content/, not in', () => {
  it.each(files)('%s', (file) => {
    expect(wordsIn(file, readFileSync(join(src, file), 'utf8'))).toEqual([]);
  });
});
