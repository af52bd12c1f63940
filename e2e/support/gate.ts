/** Holds requests back until a test lets them go: an order of events instead of a pause. */
import type { Page, Route } from '@playwright/test';

export class Gate {
  #open!: () => void;
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  static async before(page: Page, url: string | RegExp): Promise<Gate> {
    const gate = new Gate();
    await page.route(url, async (route: Route) => {
      await gate.#opened;
      await route.continue();
    });
    return gate;
  }

  open() {
    this.#open();
  }
}
