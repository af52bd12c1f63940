import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import drawn from '../../contract/mail-colours.json' with { type: 'json' };
import { serverFacts, writeServerFacts } from './server-facts.ts';
import { copyForEachTest } from './testing/copy-for-each-test.ts';

const copy = copyForEachTest();

describe('what the server says about the site', () => {
  it('has the site’s facts in the words of the consent', async () => {
    const consent = 'consent = "You get mail of {site.name}, {site.location} ({site.email})."';
    await copy.change('blog.toml', /^consent = .*$/m, consent);
    await copy.change('blog.toml', /^consent_version = .*$/m, 'consent_version = 7');
    const { site, consent: shown } = serverFacts((await copy.load()).content);
    const wording = `You get mail of ${site.name}, ${site.location} (${site.email}).`;
    expect(shown).toEqual({ version: 7, wording });
  });

  it('has colours for mails where the owner has colours of their own', async () => {
    const { content } = await copy.load();
    const colours = (brand: object) =>
      serverFacts({ ...content, site: { ...content.site, brand } }).site.mail_colours;
    expect(serverFacts(content).site).not.toHaveProperty('mail_colours');
    expect(colours({ mark: 'mark.svg' })).toBeUndefined();
    expect(colours({ accent: '#8b5cf6' })).toEqual(drawn);
    expect(colours({ accent: '#0f766e' })?.button).toMatch(/^#00[67]/);
  });

  it('is written again only when something is different', async () => {
    const file = join(copy.folder, 'dist', 'server.json');
    const longAgo = new Date('2020-01-01');
    const written = async () => {
      await writeServerFacts(content, file);
      return (await stat(file)).mtime > longAgo;
    };
    let { content } = await copy.load();
    await writeServerFacts(content, file);
    await utimes(file, longAgo, longAgo);
    expect(await written()).toBe(false);
    content = { ...content, site: { ...content.site, phone: '+1 (416) 555-0100' } };
    expect(await written()).toBe(true);
  });
});
