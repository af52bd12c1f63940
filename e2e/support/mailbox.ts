/** A mail server that keeps what it takes, read the way a mail program reads it. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect } from './test.ts';

export class Mailbox {
  readonly mails: Email[] = [];
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: async (stream, _session, done) => {
        const raw = Buffer.concat(await stream.toArray());
        this.mails.push(await PostalMime.parse(raw));
        done();
      },
    });
  }

  static async start(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    await new Promise<void>((resolve) => mailbox.#server.listen(0, '127.0.0.1', resolve));
    return mailbox;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  /** The mail with this number, counted from 1, as soon as it is there. */
  async mail(number: number): Promise<Email> {
    await expect.poll(() => this.mails.length).toBeGreaterThanOrEqual(number);
    return this.mails[number - 1] as Email;
  }

  async stop() {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

/** Path and query of the link to this page in a mail. */
export function linkIn(mail: Email, page: string): string {
  const headers = mail.headers.map(({ value }) => value).join('\n');
  const link = new RegExp(`/newsletter/${page}\\?token=[\\w-]{43}`);
  const found = link.exec(`${mail.text}\n${headers}`)?.[0];
  if (!found) throw new Error(`the mail has no link to ${page}`);
  return found;
}
