/** Imported before e2e's `App`, which reads the program's path once: benchmarks run what visitors get. */
import { fileURLToPath } from 'node:url';

process.env.FRONTDOOR_BIN ??= fileURLToPath(
  new URL('../../target/release/frontdoor', import.meta.url),
);
