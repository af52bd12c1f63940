/** Load by wrk: as many requests as the server answers, over kept connections. */
import { loadCore, run } from './child.ts';

export const connections = 64;

const milliseconds: Record<string, number> = { us: 0.001, ms: 1, s: 1000 };

export type Load = {
  perSecond: number;
  requests: number;
  /** In milliseconds. */
  p99: number;
};

type Options = {
  seconds: number;
  headers?: Record<string, string>;
  /** A wrk script, for requests that are no plain GET. */
  script?: string;
};

/** An answer outside 2xx and 3xx is an error: a fast refusal is no result. */
export async function wrk(url: string, options: Options): Promise<Load> {
  const headers = Object.entries(options.headers ?? {});
  const output = await run([
    ...['taskset', '-c', `${loadCore}`],
    ...['wrk', '-t1', `-c${connections}`, `-d${options.seconds}s`, '--latency', '--timeout', '30s'],
    ...headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(options.script ? ['-s', options.script] : []),
    url,
  ]);
  const problem = /^\s*(Non-2xx.*|Socket errors.*)$/m.exec(output)?.[1];
  if (problem) throw new Error(`${url}: ${problem}`);
  const find = (pattern: RegExp) => pattern.exec(output)?.slice(1) ?? [];
  const [amount, unit] = find(/99%\s+([\d.]+)(us|ms|s)\b/);
  return {
    perSecond: Number(find(/Requests\/sec:\s+([\d.]+)/)[0]),
    requests: Number(find(/(\d+) requests in/)[0]),
    p99: Number(amount) * (milliseconds[unit ?? ''] ?? Number.NaN),
  };
}
