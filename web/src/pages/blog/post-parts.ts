/** The parts of a post that its window shows, found on the post's page by their `data-part`. */
const names = ['picture', 'categories', 'byline', 'body', 'call'] as const;

export type PostParts = Record<(typeof names)[number], string> & { excerpt: string };

export function postParts(main: ParentNode): PostParts {
  const part = (name: string) => {
    const found = main.querySelector(`[data-part="${name}"]`);
    if (!found) throw new Error(`the post has no ${name}`);
    return found;
  };
  const html = names.map((name) => [name, part(name).outerHTML]);
  return { ...Object.fromEntries(html), excerpt: part('excerpt').textContent };
}
