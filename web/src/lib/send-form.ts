/** One way to send a form to our own server: JSON there, a problem document (RFC 9457) or nothing back. */

/** Where a form stands. `fields` are the ones to correct. */
export type Submission =
  | { state: 'idle' }
  | { state: 'submitting' }
  | { state: 'success'; message: string }
  | { state: 'error'; message: string; fields: string[] };

type Words = {
  /** The name of the form's data in the console. */
  what: string;
  done: string;
  failed: string;
};
type Problem = { detail?: string; errors?: { field: string }[] };

const timeout = 15_000;

export async function sendForm(
  url: string,
  body: object,
  { what, done, failed }: Words,
  headers: HeadersInit = {},
): Promise<Submission> {
  let problem: Problem = {};
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    });
    if (response.ok) return { state: 'success', message: done };
    problem = await response.json().catch(() => problem);
    console.error(`The ${what} was not accepted: ${response.status}`);
  } catch (error) {
    console.error(`The ${what} could not be sent.`, error);
  }
  const { detail = failed, errors = [] } = problem;
  return { state: 'error', message: detail, fields: errors.map(({ field }) => field) };
}
