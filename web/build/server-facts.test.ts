import { expect, it } from 'vitest';
import drawn from '../../contract/mail-colours.json' with { type: 'json' };
import { serverFacts } from './server-facts.ts';
import { copyForEachTest } from './testing/content-copy.ts';

const copy = copyForEachTest();

it('the text of the consent has the site’s facts in it', async () => {
  const consent = 'consent = "You get mail of {site.name}, {site.location} ({site.email})."';
  await copy.change('blog.toml', /^consent = .*$/m, consent);
  await copy.change('blog.toml', /^consent_version = .*$/m, 'consent_version = 7');
  const { site, consent: shown } = serverFacts((await copy.load()).content);
  const wording = `You get mail of ${site.name}, ${site.location} (${site.email}).`;
  expect(shown).toEqual({ version: 7, wording });
});

it('mails have colours of their own where the owner has', async () => {
  const { content } = await copy.load();
  const colours = (brand: object) =>
    serverFacts({ ...content, site: { ...content.site, brand } }).site.mail_colours;
  expect(serverFacts(content).site).not.toHaveProperty('mail_colours');
  expect(colours({ mark: 'mark.svg' })).toBeUndefined();
  expect(colours({ accent: '#8b5cf6' })).toEqual(drawn);
  expect(colours({ accent: '#0f766e' })?.button).toMatch(/^#00[67]/);
});
