/** Whatever the browser complains about, in any page of a context. */
import type { BrowserContext } from '@playwright/test';

export class Problems {
  #seen: string[] = [];
  #expected: RegExp[] = [];

  constructor(context: BrowserContext) {
    context.on('console', (message) => {
      // A violated Content-Security-Policy is an error of the console too.
      if (message.type() === 'error')
        this.#seen.push(`${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (webError) => this.#seen.push(String(webError.error())));
  }

  /** Names a complaint this test provokes. It must come, as often as it likes. */
  expect(pattern: RegExp) {
    this.#expected.push(pattern);
  }

  unexpected(): string[] {
    return this.#seen.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }

  missing(): string[] {
    const missed = this.#expected.filter(
      (pattern) => !this.#seen.some((text) => pattern.test(text)),
    );
    return missed.map(String);
  }
}
