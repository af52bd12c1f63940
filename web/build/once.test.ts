/** No text is sent twice, once in a page and once in a script: what `make web-for-tests` has built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import messages from '../../contract/messages.json' with { type: 'json' };
import { text, unpack } from './pack.ts';
import { frozen } from './testing/frozen.ts';

/** Shorter ones are words of any language, such as a field's name. */
const shortest = 20;

const files = unpack(readFileSync(join(frozen.dist, 'site.pack')));
const scripts = files.filter(({ path }) => path.endsWith('.js'));
const pages = files.filter(({ kind }) => kind === 'page');
/** Said by the server and by the script, each where the other cannot. */
const said = new Set<string>(Object.values(messages));

function texts(html: string): string[] {
  const bare = html.replaceAll(/<(style|script)[\s\S]*?<\/\1>/g, '');
  const { document } = new Window();
  document.write(bare);
  const walker = document.createTreeWalker(document.body, 4);
  const found = new Set<string>();
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    found.add(node.textContent?.trim() ?? '');
  return [...found].filter((words) => words.length >= shortest && !said.has(words));
}

describe.each(pages)('$path', (page) => {
  it('has its words to itself', () => {
    const words = texts(text(page));
    expect(words.length).toBeGreaterThan(3);
    for (const script of scripts) {
      const twice = words.filter((line) => text(script).includes(line));
      expect(twice, script.path).toEqual([]);
    }
  });
});
