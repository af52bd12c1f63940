/** Sites from three posts to three thousand: serving stays flat, building grows with them. */
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binary, emptyFolder, folders, run, serverCore, startFrontdoor } from '../support/child.ts';
import { median, spread, times } from '../support/figures.ts';
import { acceptEncoding } from '../support/home.ts';
import type { Goal, Section, Table } from '../support/report.ts';
import { wrk } from '../support/wrk.ts';

/** The site's own three last: it leaves the usual program behind. */
const postCounts = [3000, 300, 3];
const rounds = 5;
/** "Flat" and "linear" within what a busy machine does to two equal runs. */
const tolerance = 1.5;
/** Seconds for the pages of the largest site, on two cores. */
const buildLimit = 60;
/** Megabytes that `frontdoor publish` takes (`src/http/site/release.rs`). */
const publishLimit = (32 * 1024 * 1024) / 1e6;

type SiteSize = {
  posts: number;
  webSeconds: number;
  programSeconds: number;
  releaseMegabytes: number;
  megabytes: number;
  idleMegabytes: number;
  startMilliseconds: number;
  home: number[];
  post: number[];
};

export async function measure(): Promise<Section> {
  const sites = (await measureSites()).toSorted((a, b) => a.posts - b.posts);
  return {
    title: 'Growth: posts',
    method:
      'Sites with generated posts, built from nothing, served from one core. The posts share a title, and so the ' +
      'drawing of their sharing picture (0.1 s each, kept between builds); every one carries its own copy.',
    tables: [siteTable(sites)],
    goals: siteGoals(sites),
  };
}

async function measureSites(): Promise<SiteSize[]> {
  const programs: Built[] = [];
  for (const posts of postCounts) programs.push(await build(posts));
  const servers = await Promise.all(
    programs.map(async (built) => ({
      built,
      server: await startFrontdoor({}, serverCore, built.program),
      home: [] as number[],
      post: [] as number[],
    })),
  );
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { server, home, post, built } of servers) {
        const load = async (path: string) =>
          (await wrk(new URL(path, server.url).href, { seconds: 1, headers: acceptEncoding }))
            .perSecond;
        home.push(await load('/'));
        post.push(await load(`/blog/${built.lastPost}`));
      }
    }
    return servers.map(({ built: { program, lastPost, ...figures }, server, home, post }) => ({
      ...figures,
      idleMegabytes: server.memory.now,
      startMilliseconds: server.startedIn,
      home,
      post,
    }));
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}

type Built = Omit<SiteSize, 'idleMegabytes' | 'startMilliseconds' | 'home' | 'post'> & {
  program: string;
  lastPost: string;
};

async function build(posts: number): Promise<Built> {
  const folder = await emptyFolder(`site-${posts}`);
  const content = join(folder, 'content');
  const dist = join(folder, 'dist');
  await cp(join(folders.project, 'content'), content, { recursive: true });
  const lastPost = await writePosts(join(content, 'posts'), posts);
  const webSeconds = await seconds(() =>
    run(['npm', 'run', '--silent', 'build'], {
      cwd: join(folders.project, 'web'),
      env: {
        FRONTDOOR_CONTENT: content,
        FRONTDOOR_WEB_DIST: dist,
        FRONTDOOR_WEB_CACHE: join(folder, 'cache'),
      },
      minutes: 20,
    }),
  );
  const programSeconds = await seconds(() =>
    run(['cargo', 'build', '--release', '--quiet'], {
      env: { FRONTDOOR_WEB_DIST: dist },
      minutes: 20,
    }),
  );
  const program = join(folder, 'frontdoor');
  await cp(binary, program);
  const megabytesOf = async (file: string) => (await stat(file)).size / 1e6;
  const megabytes = await megabytesOf(program);
  const releaseMegabytes = await megabytesOf(join(dist, 'site.pack'));
  return { posts, webSeconds, programSeconds, releaseMegabytes, megabytes, program, lastPost };
}

/** Fills up to `count` posts with copies under another title and other dates; names the last. */
async function writePosts(folder: string, count: number): Promise<string> {
  const names = (await readdir(folder)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  let last = names.at(-1)?.replace(/\.md$/, '') ?? '';
  for (let number = names.length; number < count; number++) {
    const day = new Date(Date.UTC(2026, 0, 1) - number * 86_400_000).toISOString().slice(0, 10);
    const text = (texts[number % texts.length] ?? '')
      .replace(/^id = .*$/m, `id = "generated-${number}"`)
      .replace(/^title = .*$/m, 'title = "A generated article"')
      .replace(/^date = .*$/m, `date = ${day}`);
    last = `generated-${number}`;
    await writeFile(join(folder, `${last}.md`), text);
  }
  return last;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function siteTable(sites: SiteSize[]): Table {
  return {
    title: 'Posts',
    head: [
      'posts',
      'web build, s',
      'program build, s',
      'release, MB',
      'program, MB',
      'idle memory, MB',
      'start, ms',
      'home page, thousand a second',
      'a post, thousand a second',
    ],
    rows: sites.map((site) => [
      site.posts.toLocaleString('en'),
      site.webSeconds.toFixed(0),
      site.programSeconds.toFixed(0),
      site.releaseMegabytes.toFixed(1),
      site.megabytes.toFixed(1),
      site.idleMegabytes.toFixed(1),
      site.startMilliseconds.toFixed(0),
      spread(site.home.map((value) => value / 1000)),
      spread(site.post.map((value) => value / 1000)),
    ]),
  };
}

function siteGoals(sites: SiteSize[]): Goal[] {
  const [small, middle, large] = sites;
  if (!small || !middle || !large) throw new Error('a size is missing');
  const flat = (what: string, read: (site: SiteSize) => number[]): Goal => {
    const ratio = median(read(small)) / median(read(large));
    return {
      what: `${what} flat from ${small.posts} to ${large.posts} posts (at most ${tolerance}x slower)`,
      measured: times(ratio),
      met: ratio <= tolerance,
    };
  };
  /** What a post adds among the last 2,700 against what it added among the first 297. */
  const linear = (what: string, read: (site: SiteSize) => number): Goal => {
    const perPost = (from: SiteSize, to: SiteSize) =>
      (read(to) - read(from)) / (to.posts - from.posts);
    const ratio = perPost(middle, large) / perPost(small, middle);
    return {
      what: `${what} linear (a late post adds at most ${tolerance}x what an early one does)`,
      measured: times(ratio),
      met: ratio <= tolerance,
    };
  };
  return [
    {
      what: `the pages of ${large.posts} posts are built in at most ${buildLimit} s`,
      measured: `${large.webSeconds.toFixed(0)} s`,
      met: large.webSeconds <= buildLimit,
    },
    {
      what: `a release of ${large.posts} posts can be published (at most ${publishLimit.toFixed(1)} MB)`,
      measured: `${large.releaseMegabytes.toFixed(1)} MB`,
      met: large.releaseMegabytes <= publishLimit,
    },
    flat('home page', ({ home }) => home),
    flat('post page', ({ post }) => post),
    linear('build time', ({ webSeconds, programSeconds }) => webSeconds + programSeconds),
    linear('program size', ({ megabytes }) => megabytes),
  ];
}
