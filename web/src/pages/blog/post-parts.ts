/** The parts of a post that its window shows, found on the post's page by their `data-part`. */
const parts = ['picture', 'categories', 'byline', 'excerpt', 'body', 'call'] as const;

/** The HTML inside each of them. */
export type PostParts = Record<(typeof parts)[number], string>;

export function postParts(main: ParentNode): PostParts {
  const inside = parts.map((name) => {
    const part = main.querySelector(`[data-part="${name}"]`);
    if (!part) throw new Error(`the post has no ${name}`);
    return [name, part.innerHTML];
  });
  return Object.fromEntries(inside);
}
