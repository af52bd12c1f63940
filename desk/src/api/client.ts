/** Requests to `/api/desk/…`, and what can go wrong with them in plain words. */

const patience = 15_000;

export class Problem extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }

  /** Nobody answered, or only the proxy in front of a server that starts again. */
  get unanswered(): boolean {
    return this.status === 0 || (this.status >= 502 && this.status <= 504);
  }
}

type Method = 'GET' | 'POST' | 'PUT';

export async function ask<T = void>(
  method: Method,
  path: string,
  body?: unknown,
  ms = patience,
): Promise<T> {
  const response = await fetch(`/api/desk/${path}`, {
    method,
    signal: AbortSignal.timeout(ms),
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Problem(0, 'The server does not answer. Nothing is lost.');
  });
  if (!response.ok) throw await readProblem(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function readProblem(response: Response): Promise<Problem> {
  const { status } = response;
  if (status >= 502 && status <= 504)
    return new Problem(status, 'The server does not answer. Nothing is lost.');
  const problem: { title?: string; detail?: string } = await response.json().catch(() => ({}));
  const words = problem.detail || problem.title || `The server answered ${status}.`;
  return new Problem(status, words);
}

export const get = <T>(path: string) => ask<T>('GET', path);
export const post = <T = { said: string }>(path: string, body: unknown = {}, ms?: number) =>
  ask<T>('POST', path, body, ms);

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(500, String(error));
