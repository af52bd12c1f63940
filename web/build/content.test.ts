import { describe, expect, it } from 'vitest';
import { copyForEachTest, samplePost } from './testing/content-copy.ts';

const copy = copyForEachTest();

const section = (name: string) => `\n[${name}]\nkicker = "K"\ntitle = "T"\nlead = "L"\n`;
const append = async (file: string, text: string) =>
  copy.write(file, `${await copy.read(file)}\n${text}`);
const post = (text: string) => copy.write('posts/sample.md', text);

type Case = [what: string, change: () => Promise<void>, ...mistakes: (string | RegExp)[]];

/** Each change makes these mistakes and no others. */
const cases: Case[] = [
  [
    'a missing field',
    () => copy.change('pricing.toml', /^quote = .*$/m, ''),
    'pricing.toml: quote: This line is missing; add quote = "…"',
  ],
  [
    'a missing field deep inside a list',
    () => copy.change('contact.toml', /^question = .*$/m, ''),
    /^contact\.toml: faq\.items\.1\.question: /,
  ],
  [
    'an empty text',
    () => copy.change('site.toml', /^tagline = .*$/m, 'tagline = "  "'),
    'site.toml: tagline: must not be empty',
  ],
  [
    'an unknown key at the top',
    () => copy.change('home.toml', /^/, 'surprise = 1\n'),
    /^home\.toml: surprise: is not a known field: those here are head, hero, /,
  ],
  [
    'an unknown key inside a table',
    () => copy.change('home.toml', /^\[hero\]$/m, '[hero]\nheadlin = "typo"'),
    'home.toml: hero.headlin: is not a known field: did you mean headline?',
  ],
  [
    'a file with a slip in its name',
    () => copy.write('abuot.toml', ''),
    'abuot.toml: file: is read by no page: did you mean about.toml?',
  ],
  [
    'an icon that was not drawn',
    () => copy.change('about.toml', /icon = "handshake"/, 'icon = "hands"'),
    /^about\.toml: values\.items\.1\.icon: must be one of .*handshake/,
  ],
  [
    'none of a thing, and more than twelve',
    async () => {
      await copy.change('contact.toml', /\[\[faq\.items\]\][\s\S]*(?=\[closing\])/, '');
      await copy.change('contact.toml', /^\[faq\]$/m, '[faq]\nitems = []');
      const reason = '[[why.items]]\nicon = "eye"\ntitle = "T"\ntext = "T"\n';
      await append('about.toml', reason.repeat(7));
    },
    'about.toml: why.items: must have 1 to 12 entries',
    'contact.toml: faq.items: must have 1 to 12 entries',
  ],
  [
    'a package that a comparison does not know',
    () =>
      append(
        'pricing.toml',
        `${section('comparison')}feature = "F"\nincluded = "Yes"\nnot_included = "No"\n[[comparison.rows]]\nlabel = "Pages"\npackages = { launch = "1-3", lunch = true }\n`,
      ),
    'pricing.toml: comparison.rows.1.packages.lunch: is the id of no package: those are chatbot, launch, automation, fullstack',
  ],
  [
    'a name that is there twice',
    () => copy.write('about.toml', 'a = 1\n\na = 2\n'),
    'about.toml: line 3, column 1: this is in the file twice: keep one of the two',
  ],
  [
    'front matter that cannot be read, with its line in the file',
    () => post(samplePost().replace('more"', 'more')),
    'posts/sample.md: line 2, column 30: the closing quote is missing',
  ],
  [
    'a section that a page cannot do without',
    () => copy.change('home.toml', /^\[contact\]\n(.+\n)+/m, ''),
    'home.toml: contact: This section is missing; copy it from docs/content.md',
  ],
  ['a missing file', () => copy.remove('legal/terms.md'), 'legal/terms.md: file: is missing'],
  [
    'a file that no page reads, but not one of an editor',
    async () => {
      await copy.write('unread.toml', 'title = "Questions"');
      await copy.write('legal/cookies.md', samplePost());
      await copy.write('.unread.toml.swp', 'an editor at work');
    },
    /^unread\.toml: file: is read by no page: /,
    /^legal\/cookies\.md: file: is read by no page: /,
  ],
  [
    'front matter that does not end',
    () => post(samplePost().replace(/\n\+\+\+\n\n/, '\n\n')),
    'posts/sample.md: front matter: must stand between two lines of +++ at the top',
  ],
  ...['"soon"', '"2031-02-30"', '20310517'].map(
    (date): Case => [
      `the date ${date}`,
      () => post(samplePost().replace('2031-05-17', date)),
      /^posts\/sample\.md: date: /,
    ],
  ),
  ...['Sample.md', 'a sample.md', 'sample-.md'].map(
    (name): Case => [
      `the file name ${name}`,
      () => copy.write(`posts/${name}`, samplePost()),
      `posts/${name}: file name: must be small letters, digits and hyphens`,
    ],
  ),
  [
    'a token that is no fact of the site, in a text',
    () => post(samplePost('', 'Write to {site.mail}.')),
    'posts/sample.md: body: {site.mail} is not a fact of site.toml',
  ],
  [
    'a fact that site.toml leaves out',
    async () => {
      await copy.change('site.toml', /^phone = .*$/m, '');
      await post(samplePost('', 'Call {site.phone}.'));
    },
    'posts/sample.md: body: {site.phone} is left out of site.toml: say it without',
  ],
  [
    'a period that is not told',
    () => post(samplePost('', 'We keep it for {keep.coffee}.')),
    'posts/sample.md: body: {keep.coffee} is not a period of retention.toml',
  ],
  [
    'a picture that is not there',
    () => post(samplePost('picture = { name = "no-such-picture", alt = "Nothing" }')),
    /^posts\/sample\.md: picture\.name: there is no picture .*no-such-picture\.svg$/,
  ],
  [
    'the anchor of another service, and more services than there is room for',
    async () => {
      for (let count = 4; count <= 13; count += 1) {
        const anchor = count === 4 ? 'websites' : `more-${count}`;
        const text = (await copy.read('services/ai-chatbots.toml'))
          .replace('id = "ai-chatbots"', `id = "service-${count}"`)
          .replace('anchor = "chatbots"', `anchor = "${anchor}"`);
        await copy.write(`services/service-${count}.toml`, text);
      }
    },
    'services/website-design.toml: anchor: is the id of services/service-4.toml already',
    'services: folder: must hold 1 to 12 files',
  ],
  [
    'a navigation that the bar has no room for',
    () => copy.change('layout.toml', /label = "Home"/, 'label = "The whole home page"'),
    /^layout\.toml: nav: is wider than the bar by \d+ pixels: shorten the labels$/,
  ],
  [
    'the id of another post',
    () => post(samplePost('id = "post-1"')),
    'posts/sample.md: id: is the id of posts/ai-tools-save-time.md already',
  ],
];

describe('a mistake is reported with its file and field:', () => {
  it.each(cases)('%s', async (_, change, ...mistakes) => {
    await change();
    const found = (await copy.mistakes()).map((line) => line.replace('content/', ''));
    const expected = mistakes.map((each) =>
      typeof each === 'string' ? each : expect.stringMatching(each),
    );
    expect(found).toEqual(expected);
  });

  it.each([
    ['title = "no end', 16, 'the closing quote is missing'],
    ['title = no quotes', 9, 'the value must be in straight quotes, like "this"'],
    ['title = “curly”', 9, 'the value must be in straight quotes, like "this"'],
    ['title = "a "b" c"', 13, 'the text ends before here: write a quote inside it as \\"'],
    ['facts = ["a" "b"]', 14, 'a comma or a closing bracket is missing before this'],
    ['[team', 6, 'a line must be like name = "text", and the start of a section like [name]'],
  ])('TOML that cannot be read, with its line and column: %s', async (line, column, reason) => {
    await copy.write('about.toml', `# First\n\n${line}\nb = 1\n`);
    expect(await copy.mistakes()).toEqual([
      `content/about.toml: line 3, column ${column}: ${reason}`,
    ]);
  });
});

describe('a brand', () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"></svg>';
  const brand = async (fields: string) =>
    copy.write('site.toml', `${await copy.read('site.toml')}\n[brand]\n${fields}\n`);

  it('with colours and a mark is taken', async () => {
    await copy.write('own mark.svg', drawing);
    await brand('mark = "own mark.svg"\naccent = "#0F766E"');
    const { content, mark } = await copy.load();
    expect(content.site.brand).toEqual({ mark: 'own mark.svg', accent: '#0F766E' });
    expect(content.mark).toMatchObject({ width: 32, height: 32 });
    expect(mark).toContain('viewBox="0 0 8 4"');
  });

  it.each([
    ['accent = "teal"', 'site.toml: brand.accent: must be a colour such as #0f766e'],
    ['highlight = "#fff"', 'site.toml: brand.highlight: must be a colour such as #0f766e'],
    ['color = "#ffffff"', 'site.toml: brand.color: is not a known field: '],
    ['mark = "mark.png"', 'site.toml: brand.mark: must be the name of an SVG drawing beside this'],
    ['mark = "none.svg"', 'none.svg: file: is missing'],
  ])('with %s is not', async (fields, mistake) => {
    await brand(fields);
    expect(await copy.mistakes()).toEqual([expect.stringContaining(`content/${mistake}`)]);
  });
});

describe('a warning, and no more, is', () => {
  it('a drawing that nothing shows', async () => {
    await copy.write('own.svg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>');
    expect(await copy.warnings()).toEqual([
      'content/own.svg: file: is not used on any page: use it or delete it',
    ]);
  });

  it('a title that search engines would cut off', async () => {
    const title = 'A title of sixty-one letters, which is one more than they show';
    await copy.change('about.toml', /^title = .*$/m, `title = "${title}"`);
    await copy.change('blog.toml', /(\[not_found\.head\]\n)title = .*/, `$1title = "${title}"`);
    const post = samplePost().replace(/^title = .*$/m, `title = "${title}"`);
    await copy.write('posts/sample.md', post);
    const many = `has ${title.length} characters, and search engines show 60`;
    expect(await copy.warnings()).toEqual([
      `content/about.toml: head.title: ${many}: shorten it`,
      `content/blog.toml: not_found.head.title: ${many}: shorten it`,
      `content/posts/sample.md: title: ${many}: write a short_title beside it`,
    ]);
    await copy.write('posts/sample.md', post.replace('title', 'short_title = "Short"\ntitle'));
    expect(await copy.warnings()).toHaveLength(2);
  });
});

describe('content that is right', () => {
  it('has the facts of the site in its texts', async () => {
    await copy.change('site.toml', /^name = .*$/m, 'name = "Another Studio"');
    await copy.write('posts/sample.md', samplePost('', 'We are {site.name}.'));
    const { content } = await copy.load();
    expect(content.posts.find(({ slug }) => slug === 'sample')?.html).toBe(
      '<p>We are Another Studio.</p>',
    );
    expect(JSON.stringify(content.pages)).not.toContain('{site.');
  });

  it('has the periods in which things are kept in the privacy policy', async () => {
    await copy.change('retention.toml', /^leads = .*$/m, 'leads = 365');
    await copy.change('retention.toml', /^spam = .*$/m, 'spam = 45');
    const { content } = await copy.load();
    const policy = content.legal.find(({ slug }) => slug === 'privacy')?.html;
    expect(policy).toContain('<td>1 year after our last contact with you</td>');
    expect(policy).toContain('<td>45 days</td>');
    expect(policy).toContain('<td>3 years after you unsubscribe</td>');
    expect(policy).not.toContain('{keep.');
  });

  it('gives each post the fields of the specification', async () => {
    const { content } = await copy.load();
    expect(content.posts.map(({ id, slug }) => [slug, id]).toSorted()).toEqual([
      ['ai-chatbots-convert', 'post-2'],
      ['ai-tools-save-time', 'post-1'],
      ['business-automation-basics', 'post-3'],
    ]);
    for (const post of content.posts) {
      const fields = ['title', 'excerpt', 'html', 'author', 'date', 'picture', 'categories', 'cta'];
      for (const field of fields) expect(post).toHaveProperty(field, expect.anything());
    }
  });

  it('may be saved with the line ends of another system', async () => {
    await copy.write('posts/sample.md', samplePost().replaceAll('\n', '\r\n'));
    const { content } = await copy.load();
    expect(content.posts[0]?.html).toBe('<p>A <em>sample</em> body.</p>');
  });

  it('hands on its links: those of fields, of texts, and within a text', async () => {
    const body = '[a](/about) [b](#later) [c](https://x.example) [d](mailto:a@b.c)\n\n## Later';
    await copy.write('posts/sample.md', samplePost('', body));
    const { links } = await copy.load();
    const ofPost = links.filter(({ file }) => file === 'posts/sample.md');
    expect(ofPost.map(({ target }) => target)).toEqual(['/about', '/blog/sample#later']);
    expect(links).toContainEqual({ file: 'layout.toml', field: 'nav.1.path', target: '/' });
    await copy.write('posts/sample.md', samplePost('', 'See [services](services).'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: body: the link services must begin with /, # or https://',
    ]);
  });
});

it('a post may be called like a service', async () => {
  await copy.write('posts/ai-chatbots.md', samplePost(''));
  const { content } = await copy.load();
  expect(content.posts.map(({ slug }) => slug)).toContain('ai-chatbots');
});
