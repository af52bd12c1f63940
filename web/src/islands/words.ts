/** What the build wrote down for an island: its properties, and its words where they stand (`ui/island.tsx`). */
type Words = Record<string, string>;

export function propsOf(host: HTMLElement): { words: Words } {
  const { words, ...props } = JSON.parse(host.dataset.props ?? '{}');
  return { ...props, words: { ...words, ...shownWords(host) } };
}

/** A field shows its word as a hint, anything else as its text. */
function shownWords(host: HTMLElement): Words {
  const marked = [...host.querySelectorAll<HTMLElement>('[data-word]')];
  return Object.fromEntries(
    marked.map((node) => [node.dataset.word, node.getAttribute('placeholder') ?? node.textContent]),
  );
}
