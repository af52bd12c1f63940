import { describe, expect, it } from 'vitest';
import { samplePost } from './testing/content-copy.ts';
import { copyForEachTest } from './testing/copy-for-each-test.ts';

const copy = copyForEachTest();

describe('a mistake is reported with its file and field:', () => {
  it('a missing field', async () => {
    await copy.change('pricing.toml', /^quote = .*$/m, '');
    expect(await copy.mistakes()).toEqual([
      'content/pricing.toml: quote: This line is missing; add quote = "…"',
    ]);
  });

  it('a missing field deep inside a list', async () => {
    await copy.change('contact.toml', /^question = .*$/m, '');
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(/^content\/contact\.toml: faq\.items\.1\.question: /),
    ]);
  });

  it('an empty text', async () => {
    await copy.change('site.toml', /^tagline = .*$/m, 'tagline = "  "');
    expect(await copy.mistakes()).toEqual(['content/site.toml: tagline: must not be empty']);
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
      [
        'mark = "mark.png"',
        'site.toml: brand.mark: must be the name of an SVG drawing beside this',
      ],
      ['mark = "none.svg"', 'none.svg: file: is missing'],
    ])('with %s is not', async (fields, mistake) => {
      await brand(fields);
      expect(await copy.mistakes()).toEqual([expect.stringContaining(`content/${mistake}`)]);
    });

    it('with a drawing that is none is not', async () => {
      await copy.write('own.svg', 'not a drawing');
      await brand('mark = "own.svg"');
      expect(await copy.mistakes()).toEqual([
        expect.stringContaining('content/site.toml: brand.mark: own.svg: '),
      ]);
    });
  });

  it('an unknown key, at the top and inside a table', async () => {
    await copy.change('home.toml', /^/, 'surprise = 1\n');
    await copy.change('home.toml', /^\[hero\]$/m, '[hero]\nheadlin = "typo"');
    const found = await copy.mistakes();
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(
      expect.stringMatching(
        /^content\/home\.toml: surprise: is not a known field: those here are head, hero, /,
      ),
    );
    expect(found).toContain(
      'content/home.toml: hero.headlin: is not a known field: did you mean headline?',
    );
  });

  it('an unknown key in an entry of a section that need not be there', async () => {
    const team = '[team]\nkicker = "K"\ntitle = "T"\nlead = "L"\n';
    const person = '[[team.items]]\nname = "N"\nrole = "R"\npictur = 1\n';
    await copy.write('about.toml', `${await copy.read('about.toml')}\n${team}${person}`);
    expect(await copy.mistakes()).toEqual([
      'content/about.toml: team.items.1.pictur: is not a known field: did you mean picture?',
    ]);
  });

  it('a testimonial that does not say where it was said', async () => {
    const section = '[testimonials]\nkicker = "K"\ntitle = "T"\nlead = "L"\n';
    const entry = '[[testimonials.items]]\nquote = "Good."\nname = "N"\n';
    await copy.write('home.toml', `${await copy.read('home.toml')}\n${section}${entry}`);
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(
        /^content\/home\.toml: testimonials\.items\.1\.source: This section is missing; copy it/,
      ),
    ]);
  });

  it('a file with a slip in its name', async () => {
    await copy.write('abuot.toml', '');
    expect(await copy.mistakes()).toEqual([
      'content/abuot.toml: file: is read by no page: did you mean about.toml?',
    ]);
  });

  it('an icon that was not drawn', async () => {
    await copy.change('about.toml', /icon = "handshake"/, 'icon = "hands"');
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(
        /^content\/about\.toml: values\.items\.1\.icon: must be one of .*handshake/,
      ),
    ]);
  });

  it('none of a thing, and more than twelve', async () => {
    await copy.change('contact.toml', /\[\[faq\.items\]\][\s\S]*(?=\[closing\])/, '');
    await copy.change('contact.toml', /^\[faq\]$/m, '[faq]\nitems = []');
    const reason = '[[why.items]]\nicon = "eye"\ntitle = "T"\ntext = "T"\n';
    await copy.write('about.toml', (await copy.read('about.toml')) + reason.repeat(7));
    expect(await copy.mistakes()).toEqual([
      'content/about.toml: why.items: must have 1 to 12 entries',
      'content/contact.toml: faq.items: must have 1 to 12 entries',
    ]);
  });

  it('a package that a comparison does not know', async () => {
    const words = 'kicker = "K"\ntitle = "T"\nlead = "L"\n';
    const marks = 'feature = "F"\nincluded = "Yes"\nnot_included = "No"\n';
    const row =
      '[[comparison.rows]]\nlabel = "Pages"\npackages = { launch = "1-3", lunch = true }\n';
    const pricing = await copy.read('pricing.toml');
    await copy.write('pricing.toml', `${pricing}\n[comparison]\n${words}${marks}${row}`);
    expect(await copy.mistakes()).toEqual([
      'content/pricing.toml: comparison.rows.1.packages.lunch: is the id of no package: those are chatbot, launch, automation, fullstack',
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

  it('a name that is there twice', async () => {
    await copy.write('about.toml', 'a = 1\n\na = 2\n');
    expect(await copy.mistakes()).toEqual([
      'content/about.toml: line 3, column 1: this is in the file twice: keep one of the two',
    ]);
  });

  it('front matter that cannot be read, with its line in the file', async () => {
    await copy.write('posts/sample.md', samplePost().replace('more"', 'more'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: line 2, column 30: the closing quote is missing',
    ]);
  });

  it('a section that a page cannot do without', async () => {
    await copy.change('home.toml', /^\[contact\]\n(.+\n)+/m, '');
    expect(await copy.mistakes()).toEqual([
      'content/home.toml: contact: This section is missing; copy it from docs/content.md',
    ]);
  });

  it('a missing file', async () => {
    await copy.remove('legal/terms.md');
    expect(await copy.mistakes()).toEqual(['content/legal/terms.md: file: is missing']);
  });

  it('a file that no page reads', async () => {
    await copy.write('unread.toml', 'title = "Questions"');
    await copy.write('legal/cookies.md', samplePost());
    await copy.write('.unread.toml.swp', 'an editor at work');
    const found = await copy.mistakes();
    expect(found).toEqual([
      expect.stringMatching(/^content\/unread\.toml: file: is read by no page: /),
      expect.stringMatching(/^content\/legal\/cookies\.md: file: is read by no page: /),
    ]);
  });

  it('front matter that does not end', async () => {
    await copy.write('posts/sample.md', samplePost().replace(/\n\+\+\+\n\n/, '\n\n'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: front matter: must stand between two lines of +++ at the top',
    ]);
  });

  it('front matter with a missing and an unknown field', async () => {
    await copy.write('posts/sample.md', samplePost('slug = "x"').replace(/^title = .*\n/m, ''));
    const found = await copy.mistakes();
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(
      expect.stringMatching(/^content\/posts\/sample\.md: slug: is not a known field: /),
    );
    expect(found).toContainEqual(expect.stringMatching(/^content\/posts\/sample\.md: title: /));
  });

  it.each(['"soon"', '"2031-02-30"', '"2031-13-01"', '20310517'])('the date %s', async (date) => {
    await copy.write('posts/sample.md', samplePost().replace('2031-05-17', date));
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(/^content\/posts\/sample\.md: date: /),
    ]);
  });

  it.each(['Sample.md', 'a sample.md', 'sample-.md', 'a_b.md'])(
    'the file name %s',
    async (name) => {
      await copy.write(`posts/${name}`, samplePost());
      expect(await copy.mistakes()).toEqual([
        `content/posts/${name}: file name: must be small letters, digits and hyphens`,
      ]);
    },
  );

  it('a token that is no fact of the site, in a field and in a text', async () => {
    await copy.change('about.toml', /^lead = .*$/m, 'lead = "Call {site.fax}"');
    await copy.write('posts/sample.md', samplePost('', 'Write to {site.mail}.'));
    const found = await copy.mistakes();
    expect(found).toContain('content/about.toml: hero.lead: {site.fax} is not a fact of site.toml');
    expect(found).toContain(
      'content/posts/sample.md: body: {site.mail} is not a fact of site.toml',
    );
  });

  it('a period that is not told, and one that is none', async () => {
    await copy.write('posts/sample.md', samplePost('', 'We keep it for {keep.coffee}.'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: body: {keep.coffee} is not a period of retention.toml',
    ]);
    await copy.change('retention.toml', /^leads = .*$/m, 'leads = 0');
    expect(await copy.mistakes()).toContainEqual(
      expect.stringMatching(/^content\/retention\.toml: leads: /),
    );
  });

  it('a picture that is not there', async () => {
    await copy.write(
      'posts/sample.md',
      samplePost('picture = { name = "no-such-picture", alt = "Nothing" }'),
    );
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(
        /^content\/posts\/sample\.md: picture\.name: there is no picture .*no-such-picture\.svg$/,
      ),
    ]);
  });

  it('the id or the anchor of another service, and more services than there is room for', async () => {
    for (const count of [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]) {
      const text = (await copy.read('services/ai-chatbots.toml'))
        .replace('id = "ai-chatbots"', `id = "service-${count}"`)
        .replace('anchor = "chatbots"', `anchor = "${count === 4 ? 'websites' : `more-${count}`}"`);
      await copy.write(`services/service-${count}.toml`, text);
    }
    expect(await copy.mistakes()).toEqual([
      'content/services/website-design.toml: anchor: is the id of services/service-4.toml already',
      'content/services: folder: must hold 1 to 12 files',
    ]);
  });

  it('a navigation that the bar has no room for', async () => {
    await copy.change('layout.toml', /label = "Home"/, 'label = "The whole home page"');
    expect(await copy.mistakes()).toEqual([
      expect.stringMatching(
        /^content\/layout\.toml: nav: is wider than the bar by \d+ pixels: shorten the labels$/,
      ),
    ]);
  });

  it('a fact that site.toml leaves out', async () => {
    await copy.change('site.toml', /^phone = .*$/m, '');
    await copy.write('posts/sample.md', samplePost('', 'Call {site.phone}.'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: body: {site.phone} is left out of site.toml: say it without',
    ]);
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

describe('a mistake in links and ids is reported with its file and field:', () => {
  it('the id of another post', async () => {
    await copy.write('posts/sample.md', samplePost('id = "post-1"'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: id: is the id of posts/ai-tools-save-time.md already',
    ]);
  });

  it('a link that depends on where its page stands', async () => {
    await copy.write('posts/sample.md', samplePost('', 'See [services](services).'));
    expect(await copy.mistakes()).toEqual([
      'content/posts/sample.md: body: the link services must begin with /, # or https://',
    ]);
  });

  it('several files at once', async () => {
    await copy.change('pricing.toml', /^quote = .*$/m, '');
    await copy.change('blog.toml', /^read_more = .*$/m, '');
    expect((await copy.mistakes()).map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
      'content/blog.toml: read_more',
      'content/pricing.toml: quote',
    ]);
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

  it('lists posts from the newest on, with the blog’s own author and picture by default', async () => {
    await copy.write('posts/sample.md', samplePost());
    const { content } = await copy.load();
    const dates = content.posts.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted().reverse());
    expect(content.posts[0]).toMatchObject({
      id: 'sample',
      slug: 'sample',
      date: '2031-05-17',
      author: content.pages.blog.post.author,
      picture: content.pages.blog.post.default_picture,
    });
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

  it('keeps titles within what search engines show, name of the site included', async () => {
    const { content } = await copy.load();
    const { home, ...others } = content.pages;
    const heads = Object.values(others).flatMap((page) =>
      'head' in page ? [page.head.title] : [],
    );
    const titles = [...heads, ...content.posts.map(({ title }) => title)];
    const whole = [home.head.title, ...titles.map((title) => `${title} · ${content.site.name}`)];
    expect(whole.filter((title) => title.length > 60)).toEqual([]);
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
  });
});

it('a post may be called like a service', async () => {
  await copy.write('posts/ai-chatbots.md', samplePost(''));
  const { content } = await copy.load();
  expect(content.posts.map(({ slug }) => slug)).toContain('ai-chatbots');
});
