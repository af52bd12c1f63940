/** Requests to `/api/desk/…`, and their failures as messages for the owner. */

const requestTimeout = 15_000;

/** No response (0), or one from the proxy while the server restarts. */
const unreachableStatuses = [0, 502, 503, 504];

export class Problem extends Error {
  readonly status: number;

  constructor(status: number, detail = 'The server does not answer. Nothing is lost.') {
    super(detail);
    this.status = status;
  }

  get isUnreachable(): boolean {
    return unreachableStatuses.includes(this.status);
  }
}

export async function request<T = void>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  timeout = requestTimeout,
  signal?: AbortSignal,
): Promise<T> {
  const response = await fetch(`/api/desk/${path}`, {
    method,
    signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Problem(0);
  });
  const { ok, status } = response;
  if (ok) return (status === 204 ? undefined : await response.json()) as T;
  if (unreachableStatuses.includes(status)) throw new Problem(status);
  const problem: { title?: string; detail?: string } = await response.json().catch(() => ({}));
  throw new Problem(status, problem.detail || problem.title || `The server answered ${status}.`);
}

export const get = <T>(path: string, signal?: AbortSignal) =>
  request<T>('GET', path, undefined, undefined, signal);
export const post = <T = { message: string }>(path: string, body: unknown = {}, timeout?: number) =>
  request<T>('POST', path, body, timeout);

/** For what the owner need not know if it fails. */
export const tell = (path: string, body?: unknown) => post<void>(path, body).catch(() => {});

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(500, String(error));
