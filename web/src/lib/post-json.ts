/** One way to talk to our own server: JSON there, a problem document (RFC 9457) or nothing back. */

export type Problem = {
  status: number;
  detail?: string;
  errors?: { field: string; message: string }[];
};
export type Answer = { ok: true } | { ok: false; problem: Problem };

const patience = 15_000;

/** Rejects when no answer came at all. */
export async function postJson(
  url: string,
  body: object,
  headers: HeadersInit = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patience),
  });
  if (response.ok) return { ok: true };
  const problem = await response.json().catch(() => ({}));
  return { ok: false, problem: { ...problem, status: response.status } };
}
