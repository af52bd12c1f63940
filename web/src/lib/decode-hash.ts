/** The id behind a `#`. Anybody can write anything there: what cannot be decoded stays as it is. */
export function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
