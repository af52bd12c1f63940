import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import drawn from '../../contract/mail-colours.json' with { type: 'json' };
import { defaultForms, defaultMails, serverFacts, type Texts } from './server-facts.ts';
import { copyForEachTest } from './testing/content-copy.ts';

const copy = copyForEachTest();
const files: [string, Texts][] = [
  ['mails.toml', defaultMails],
  ['forms.toml', defaultForms],
];

describe.each(files)('%s', (file, defaults) => {
  it('shows the default texts, commented out', async () => {
    // The owner may have changed some.
    const lines = (await copy.read(file)).replaceAll(/^\w+ = .*\n/gm, '');
    const shown = parse(lines.replaceAll(/^# (?=\w+ = ")/gm, '')) as Texts;
    expect(Object.keys(shown)).toEqual(Object.keys(defaults));
    for (const [table, words] of Object.entries(shown))
      expect(defaults[table]).toMatchObject(words);
    const all = Object.values(defaults).flatMap(Object.keys).length;
    expect((await copy.read(file)).match(/^(# )?\w+ = "/gm)).toHaveLength(all);
  });

  it('may be missing', async () => {
    await copy.remove(file);
    const { mails, messages, fields } = (await copy.load()).content;
    expect(messages.required).toBe('Please fill in all required fields');
    expect(fields.email).toMatchObject({ label: 'Email', sentence: 'Email address' });
    expect(mails.newsletter.unsubscribe).toBe('Unsubscribe');
  });
});

it('the owner’s texts replace the defaults, with the site’s facts in both', async () => {
  await copy.write('mails.toml', '[auto_reply]\ngreeting = "Dear friend of {site.name},"\n');
  const forms = '[labels]\nemail = "E-mail"\n[messages]\nrequired = "Something is missing"\n';
  await copy.write('forms.toml', forms);
  const { content } = await copy.load();
  const { mails, messages, fields } = serverFacts(content);
  const { name } = content.site;
  expect(mails.auto_reply).toMatchObject({
    greeting: `Dear friend of ${name},`,
    subject: `Thank you for your message to ${name}`,
  });
  expect(messages).toMatchObject({
    required: 'Something is missing',
    email_shape: defaultForms.messages?.email_shape,
  });
  expect(fields.email).toEqual({ label: 'E-mail', limit: 254, required: true });
  expect(fields.name.label).toBe('Name');
});

it('saved replies are named by their first line, or by their file', async () => {
  await copy.write('replies/b.md', 'Only words of {site.name},\n# not a name\n');
  await copy.write('replies/a.md', '# A call\r\n\r\nOn Tuesday?\r\n\r\nAnna\r\n');
  const { content } = await copy.load();
  expect(serverFacts(content).replies).toEqual([
    { name: 'We can help', text: expect.stringContaining('on Tuesday at 10:00?') },
    { name: 'A call', text: 'On Tuesday?\n\nAnna' },
    { name: 'b', text: `Only words of ${content.site.name},\n# not a name` },
  ]);
  await copy.write('replies/a.md', '# A call\n');
  expect(await copy.mistakes()).toEqual(['content/replies/a.md: text: must not be empty']);
  await copy.remove('replies');
  expect(serverFacts((await copy.load()).content).replies).toEqual([]);
});

it.each([
  ['mails.toml', '[auto_reply]\ngreting = "Hi"', 'auto_reply.greting: is not a known field: did'],
  ['mails.toml', '[auto-reply]', 'auto-reply: is not a known field: did you mean auto_reply?'],
  ['mails.toml', 'auto_reply = "Hi"', 'auto_reply: Invalid input'],
  ['mails.toml', '[confirmation]\nsubject = "a\\nb"', 'confirmation.subject: must be one line'],
  ['mails.toml', '[newsletter]\nreason = ""', 'newsletter.reason: must not be empty'],
  [
    'forms.toml',
    '[messages]\ntoo_long = "Too long"',
    'messages.too_long: must contain {field} and',
  ],
])('in %s, %s is a mistake', async (file, text, mistake) => {
  await copy.write(file, text);
  expect((await copy.mistakes()).join('\n')).toContain(`content/${file}: ${mistake}`);
});

it('mails are in the owner’s colours if there are any', async () => {
  const { content } = await copy.load();
  const colours = (brand: object) =>
    serverFacts({ ...content, site: { ...content.site, brand } }).site.mail_colours;
  expect(serverFacts(content).site).not.toHaveProperty('mail_colours');
  expect(colours({ mark: 'mark.svg' })).toBeUndefined();
  expect(colours({ accent: '#8b5cf6' })).toEqual(drawn);
  expect(colours({ accent: '#0f766e' })?.button).toMatch(/^#00[67]/);
});
