import { availableParallelism } from 'node:os';

/** As many at once as there are processors: compressing and drawing take their time. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}
