/** What is typed into an island, whatever becomes of its elements. */
const selector = 'input:not([type=hidden]), textarea';
type Input = HTMLInputElement | HTMLTextAreaElement;

/** Notes it from now on; returns what puts it into the island's fields of the same names. */
export function keepTyped(host: HTMLElement): () => void {
  const typed = new Map<string, string>();
  const note = () => {
    for (const { name, value } of host.querySelectorAll<Input>(selector)) typed.set(name, value);
  };
  note();
  host.addEventListener('input', note);
  return () => {
    for (const input of host.querySelectorAll<Input>(selector)) {
      input.value = typed.get(input.name) ?? '';
    }
  };
}
