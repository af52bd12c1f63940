/** The contact form as a visitor meets it, and the leads as the owner sees them. */
import { expect, type Locator, type Page } from '@playwright/test';
import fields from '../../contract/fields.json' with { type: 'json' };
import type { App } from './app.ts';

export const messages = {
  required: 'Please fill in all required fields',
  email: 'Please enter a valid email address',
  failed: 'Failed to send message. Please try again later.',
  sent: 'Thank you for your message! We will get back to you soon.',
};

type FieldName = keyof typeof fields;
export type Words = Record<FieldName, string>;

const fieldNames = Object.keys(fields) as FieldName[];

let count = 0;

/** Values that no other test uses: tests share a database and find their lead by its address. */
export function someWords(change: Partial<Words> = {}): Words {
  count += 1;
  const visitor = `visitor-${process.pid}-${count}`;
  const typed = fieldNames.map((field) => [field, `A ${field}`]);
  return {
    ...(Object.fromEntries(typed) as Words),
    name: 'Ada Example',
    email: `${visitor}@example.org`,
    phone: '+1 416 555 0100',
    message: `A question of ${visitor}.`,
    ...change,
  };
}

export class ContactForm {
  readonly root: Locator;
  readonly fields: Record<FieldName, Locator>;
  readonly button: Locator;
  /** The live region with the outcome; it must exist before it has text. */
  readonly status: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.locator('form[action="/api/contacts"]');
    const located = fieldNames.map((field) => {
      const { label, required } = fields[field];
      const name = required ? label : `${label} (optional)`;
      return [field, this.root.getByLabel(name, { exact: true })];
    });
    this.fields = Object.fromEntries(located) as Record<FieldName, Locator>;
    this.button = this.root.getByRole('button');
    this.status = this.root.locator('[aria-live]');
  }

  async open(path = '/contact') {
    await this.#page.goto(path);
    await this.ready();
  }

  /** Waits until the script has started, and long enough that the message does not look like a program's. */
  async ready() {
    await expect(this.root).toHaveJSProperty('noValidate', true);
    await this.#page.waitForFunction(() => performance.now() > 400);
  }

  async fill(words: Partial<Words>) {
    for (const [field, value] of Object.entries(words)) {
      await this.fields[field as keyof Words].fill(value);
    }
  }

  async send(words: Partial<Words> = {}) {
    await this.fill(words);
    await this.button.click();
  }

  async expectWords(words: Partial<Words>) {
    const typed = () =>
      this.root.evaluate((form) => Object.fromEntries(new FormData(form as HTMLFormElement)));
    await expect.poll(typed).toMatchObject(words);
  }

  /** A field without a mistake has no such attribute. */
  async expectInvalid(...names: (keyof Words)[]) {
    const marked = () =>
      this.root
        .locator('[aria-invalid]')
        .evaluateAll((all) => all.map((field) => [field.getAttribute('name'), field.ariaInvalid]));
    await expect.poll(marked).toEqual(names.map((name) => [name, 'true']));
  }
}

type Lead = Record<FieldName, string | null> & {
  form_location: string;
  held: boolean;
  hold_reason: string | null;
  source: Record<string, string | null>;
};

/** What is stored of one visitor, as the owner's command prints it. */
export async function leadsOf(app: App, email: string): Promise<Lead[]> {
  const leads: Lead[] = JSON.parse(await app.command('leads', 'list', '--json', '--limit', '1000'));
  return leads.filter((lead) => lead.email === email);
}
