import { describe, expect, it } from 'vitest';
import { copyForEachTest, samplePost } from './testing/content-copy.ts';

const copy = copyForEachTest();

const append = async (file: string, text: string) =>
  copy.write(file, `${await copy.read(file)}\n${text}`);
const mistakes = async () => (await copy.mistakes()).map((line) => line.replace('content/', ''));
const like = (pattern: RegExp) => expect.stringMatching(pattern);

describe('mistakes are reported together, each with its file and field:', () => {
  it('in pages', async () => {
    await copy.change('layout.toml', /label = "Home"/, 'label = "The whole home page"');
    await copy.change('home.toml', /^/, 'surprise = 1\n');
    await copy.change('home.toml', /^\[hero\]$/m, '[hero]\nheadlin = "typo"');
    await copy.change('home.toml', /^\[contact\]\n(.+\n)+/m, '');
    await copy.change('services.toml', /^get_started = .*$/m, '');
    await copy.change('about.toml', /icon = "handshake"/, 'icon = "hands"');
    await append('about.toml', '[[why.items]]\nicon = "eye"\ntitle = "T"\ntext = "T"\n'.repeat(7));
    await copy.change('contact.toml', /^question = .*$/m, 'question = " "');
    await append(
      'pricing.toml',
      `[comparison]\nkicker = "K"\ntitle = "T"\nlead = "L"\nfeature = "F"\nincluded = "Yes"\nnot_included = "No"
       rows = [{ label = "Pages", packages = { launch = "1-3", lunch = true } }]`,
    );
    expect(await mistakes()).toEqual([
      'home.toml: hero.headlin: is not a known field: did you mean headline?',
      'home.toml: contact: This section is missing; copy it from docs/content.md',
      like(/^home\.toml: surprise: is not a known field: the fields here are head, hero, /),
      'services.toml: get_started: This line is missing; add get_started = "…"',
      like(/^about\.toml: values\.items\.1\.icon: must be one of .*handshake/),
      'about.toml: why.items: must have 1 to 12 entries',
      'contact.toml: faq.items.1.question: must not be empty',
      'pricing.toml: comparison.rows.1.packages.lunch: is not the id of a package: the ids are chatbot, launch, automation, fullstack',
      like(/^layout\.toml: nav: is \d+ pixels wider than the bar: shorten the labels$/),
    ]);
  });

  it('in posts', async () => {
    const posts = {
      'Sample.md': samplePost(),
      'a sample.md': samplePost(),
      'date.md': samplePost().replace('2031-05-17', '"2031-02-30"'),
      'fact.md': samplePost('', 'Write to {site.mail}, call {site.phone}, keep {keep.coffee}.'),
      'no-date.md': samplePost().replace('2031-05-17', '20310517'),
      'no-end.md': samplePost().replace(/\n\+\+\+\n\n/, '\n\n'),
      'picture.md': samplePost('picture = { name = "no-such-picture", alt = "Nothing" }'),
      'quote.md': samplePost().replace('more"', 'more'),
      'sample-.md': samplePost(),
      'twin.md': samplePost('id = "post-1"'),
    };
    await copy.change('site.toml', /^phone = .*$/m, '');
    for (const [name, text] of Object.entries(posts)) await copy.write(`posts/${name}`, text);
    expect(await mistakes()).toEqual([
      'posts/Sample.md: file name: must be lower-case letters, digits and hyphens',
      'posts/a sample.md: file name: must be lower-case letters, digits and hyphens',
      'posts/date.md: date: must be a date such as 2026-10-01',
      'posts/fact.md: body: {site.mail} is not a field of site.toml',
      'posts/fact.md: body: {site.phone} is not set in site.toml: set it there, or leave it out here',
      'posts/fact.md: body: {keep.coffee} is not a field of retention.toml',
      'posts/no-date.md: date: must be a date such as 2026-10-01',
      'posts/no-end.md: front matter: must be between two lines of +++ at the top',
      like(/^posts\/picture\.md: picture\.name: there is no picture .*no-such-picture\.svg$/),
      'posts/quote.md: line 2, column 30: the closing quote is missing',
      'posts/sample-.md: file name: must be lower-case letters, digits and hyphens',
      'posts/twin.md: id: is already the id of posts/ai-tools-save-time.md',
    ]);
  });

  it('in files: missing, misnamed, not read by any page, too many', async () => {
    await copy.remove('legal/terms.md');
    await copy.write('abuot.toml', '');
    await copy.write('unread.toml', 'title = "Questions"');
    await copy.write('.unread.toml.swp', 'an editor at work');
    const service = (await copy.read('services/ai-chatbots.toml')).replace('id = "ai', 'id = "an');
    for (let count = 4; count <= 13; count += 1) {
      const own = service.replace(
        /^(id|anchor) = "(.*)"$/gm,
        `$1 = "$2-${count > 4 ? count : ''}4"`,
      );
      await copy.write(`services/service-${count}.toml`, own);
    }
    await copy.change('services/service-4.toml', /^anchor = .*$/m, 'anchor = "websites"');
    expect(await mistakes()).toEqual([
      'services/website-design.toml: anchor: is already the id of services/service-4.toml',
      'services: folder: must hold 1 to 12 files',
      'legal/terms.md: file: is missing',
      'abuot.toml: file: is not read by any page: did you mean about.toml?',
      like(/^unread\.toml: file: is not read by any page: /),
    ]);
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
  const brand = async (fields: string) =>
    copy.write('site.toml', `${await copy.read('site.toml')}\n[brand]\n${fields}\n`);

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

describe('a warning is enough for', () => {
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
  it('has the retention periods in the privacy policy', async () => {
    await copy.change('retention.toml', /^leads = .*$/m, 'leads = 365');
    await copy.change('retention.toml', /^spam = .*$/m, 'spam = 45');
    const { content } = await copy.load();
    const policy = content.legal.find(({ slug }) => slug === 'privacy')?.html;
    expect(policy).toContain('<td>1 year after our last contact with you</td>');
    expect(policy).toContain('<td>45 days</td>');
    expect(policy).toContain('<td>3 years after you unsubscribe</td>');
    expect(policy).not.toContain('{keep.');
  });

  it('may be saved with the line ends of another system', async () => {
    await copy.write('posts/sample.md', samplePost().replaceAll('\n', '\r\n'));
    const { content } = await copy.load();
    expect(content.posts[0]?.html).toBe('<p>A <em>sample</em> body.</p>');
  });

  it('reports its links: in fields, in texts, and within a text', async () => {
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
