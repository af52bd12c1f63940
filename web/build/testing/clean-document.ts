/** Test files share one document: each test leaves it empty. */
import { afterEach } from 'vitest';

afterEach(() => document.body.replaceChildren());
