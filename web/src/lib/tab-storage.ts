/** The tab's session storage. If it's switched off, values are kept until the page is left. */
const memory = new Map<string, string>();

export const tabStorage = {
  get<T>(key: string): T | undefined {
    try {
      return JSON.parse(read(key) ?? 'null') ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key: string, value: unknown) {
    const text = JSON.stringify(value);
    try {
      sessionStorage.setItem(key, text);
      memory.delete(key);
    } catch {
      memory.set(key, text);
    }
  },
  remove(key: string) {
    memory.delete(key);
    try {
      sessionStorage.removeItem(key);
    } catch {}
  },
};

function read(key: string): string | null {
  // A value that storage refused, perhaps because it's full, is newer than the stored one.
  const kept = memory.get(key);
  return kept ?? sessionStorage.getItem(key);
}
