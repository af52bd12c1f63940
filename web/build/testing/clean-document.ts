/** Test files share one document, so each test leaves it empty. */
import { afterEach } from 'vitest';

afterEach(() => document.body.replaceChildren());
