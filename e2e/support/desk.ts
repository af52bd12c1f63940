/** A program with its desk and a mail server, and what the owner does there in a browser. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { frozen } from '../../web/build/testing/frozen.ts';
import { App, type Env } from './app.ts';
import { freePort } from './program.ts';
import { test as base, expect } from './test.ts';

export const owner = 'anna@site.example';

export class Desk {
  readonly app: App;
  readonly url: string;
  /** Every mail that was sent. */
  readonly mails: Email[];
  readonly #mailServer: SMTPServer;

  private constructor(app: App, url: string, mails: Email[], mailServer: SMTPServer) {
    this.app = app;
    this.url = url;
    this.mails = mails;
    this.#mailServer = mailServer;
  }

  static async start(env: Env = {}): Promise<Desk> {
    const mails: Email[] = [];
    const mailServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: async (stream, _session, done) => {
        mails.push(await PostalMime.parse(Buffer.concat(await stream.toArray())));
        done();
      },
    });
    await once(mailServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = mailServer.server.address() as AddressInfo;
    const listen = env.FRONTDOOR_DESK_LISTEN ?? `127.0.0.1:${await freePort()}`;
    const app = await App.start({
      FRONTDOOR_DESK_LISTEN: listen,
      FRONTDOOR_SMTP_URL: `smtp://127.0.0.1:${port}`,
      FRONTDOOR_NOTIFY_EMAIL: owner,
      ...env,
    });
    return new Desk(app, `http://${listen}`, mails, mailServer);
  }

  async stop() {
    await this.app.dispose();
    await new Promise<void>((resolve) => this.#mailServer.close(resolve));
  }

  /** A lead from this person. */
  async write(name: string, message = `Hello from ${name}`, from = '') {
    const source = from ? { referrer_host: from, landing_path: '/services' } : {};
    const body = JSON.stringify({ name, email: addressOf(name), message, source });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${this.app.url}/api/contacts`, { method: 'POST', headers, body });
    expect(answer.status, name).toBe(201);
  }

  /** Each person's lead, as the command line shows it. */
  async states(): Promise<Record<string, string>> {
    const leads: { name: string; state: string; held: boolean }[] = JSON.parse(
      await this.app.command('leads', 'list', '--json'),
    );
    return Object.fromEntries(leads.map(({ name, state, held }) => [name, held ? 'held' : state]));
  }

  async link(name = 'Anna'): Promise<string> {
    const said = await this.app.command('desk', 'open', '--name', name);
    return said.trim().split('\n').at(-1) ?? '';
  }

  async signIn(page: Page, { name = 'Anna', shows = 'Inbox' } = {}) {
    await page.goto(await this.link(name));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(heading(page, shows)).toBeVisible();
  }
}

export const test = base.extend<{ desk: Desk }>({
  desk: async ({ context }, use) => {
    const desk = await Desk.start({ FRONTDOOR_SITE: frozen.dist });
    await use(desk);
    // An open page would complain that the program no longer answers.
    await Promise.all(context.pages().map((page) => page.close()));
    await desk.stop();
  },
});

/** What the spam filter keeps back. */
export const likeSpam = 'look http://cheap.example/x';

export const addressOf = (name: string) =>
  `${name.split(' ').at(0)?.toLowerCase().replace('.', '')}@example.org`;

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** A lead in the list. */
export const lead = (page: Page, name: string) =>
  page.getByRole('main').getByRole('listitem').getByRole('link', { name });

/** The message about what was done, or failed. */
export const expectMessage = (page: Page, text: string) =>
  expect(
    page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: text }).first(),
  ).toBeVisible();

export { expect };
