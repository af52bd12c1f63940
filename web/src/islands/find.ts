/** Which island something belongs to: it stands in it, or opens it (`data-opens`). */
export function islandAt(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  const around = target.closest<HTMLElement>('[data-island]');
  const opens = target.closest<HTMLElement>('[data-opens]')?.dataset.opens;
  return around ?? (opens ? document.querySelector(`[data-island="${opens}"]`) : null);
}

export const isAsleep = ({ dataset }: HTMLElement) => !dataset.state;
