/** The tab's session storage, which may be switched off: then nothing is remembered. */
export const tabStorage = {
  get<T>(key: string): T | undefined {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key: string, value: unknown) {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {}
  },
  remove(key: string) {
    try {
      sessionStorage.removeItem(key);
    } catch {}
  },
};
