/** The tab's session storage. If it's switched off, values are kept until the page is left. */
const memory: Record<string, string> = {};

function storage(): Record<string, string> {
  try {
    return sessionStorage ?? memory;
  } catch {
    return memory;
  }
}

export const tabStorage = {
  get: <T>(key: string): T | undefined => JSON.parse(storage()[key] ?? 'null') ?? undefined,
  set: (key: string, value: unknown) => {
    storage()[key] = JSON.stringify(value);
  },
  remove: (key: string) => {
    delete storage()[key];
  },
};
