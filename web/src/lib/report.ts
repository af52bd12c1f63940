/** Tells our own server of a piece that broke: which, and the error's own words, nothing of the visitor's. */
const address = '/api/browser-errors';
const mostReports = 5;
const mostCharacters = 200;

let reports = 0;

export function report(island: string, error: unknown) {
  console.error(error);
  if (reports >= mostReports) return;
  reports += 1;
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ island, message: messageOf(error) }),
    keepalive: true,
  }).catch(() => {});
}

/** An address or a long number may be a visitor's. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text
    .replaceAll(/\S*@\S*/g, '[address]')
    .replaceAll(/\+?\d(?:[\s().-]{0,2}\d){5,}/g, '[number]')
    .replaceAll(/\s+/g, ' ')
    .slice(0, mostCharacters);
}
