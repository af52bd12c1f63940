/** The data of a desk after some weeks: for its screenshots and for tests of pages with content. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { type Desk, expect, heading, lead } from './desk.ts';

const hour = 3_600_000;
const day = 24 * hour;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

/** Name, hours since it came, message, where from, and what became of it. */
type Row = [string, number, string, string, Record<string, SQLInputValue>?];

const rows: Row[] = [
  [
    'Ada Byron',
    26,
    'We run a bakery with two shops and take most orders by phone. On Fridays nobody at the counter has a hand free.\n\nCould an assistant take the Saturday cake orders, and say no when the oven is full?',
    'google.com',
    { note: 'Two shops, so two calendars. Ask about the till.' },
  ],
  [
    'Grace Murray',
    24.9,
    'Our booking page was down twice this month and we only heard of it from a patient. Who looks after such a thing?',
    'newsletter',
  ],
  [
    'Hedy Kiesler',
    23.3,
    'Is the 72 hour launch realistic if our photos are not ready yet? We open on the 5th of December.',
    'google.com',
  ],
  [
    'Radia Joy',
    20.6,
    'We get about 40 quote requests a week by e-mail and copy each into a spreadsheet.',
    'linkedin.com',
  ],
  [
    'Katherine Coleman',
    16.8,
    'Could you look at our accessibility before the spring? The town asks for a report.',
    '',
  ],
  [
    'Alan Mathison',
    3.1,
    'As discussed, here is what the shop’s old site does today and what we would miss.',
    '',
    { note: 'Met at the chamber breakfast' },
  ],
  [
    'Jean Jennings',
    0.07,
    'Do you also take over a site that somebody else built? Ours is on an old one nobody dares to touch.',
    'google.com',
  ],
  [
    'Prime Rank Team',
    12.4,
    'Dear business owner, first page rankings at https://a.example https://b.example https://c.example',
    '',
  ],
  [
    'Mary Keller',
    200,
    'We would like to see what an assistant says on the phone.',
    'google.com',
    { state: 'booked' },
  ],
  [
    'Karen Jones',
    215,
    'We would like a site for a second office, with the same look as the first.',
    'google.com',
    { state: 'booked' },
  ],
  ['Ada Byron', 4440, 'Do you know a good photographer for cakes?', '', { state: 'answered' }],
];

/** A page of the desk with this data: its name, its address, what shows that it is there, and what leads on from there. */
export type Look = [
  name: string,
  path: string,
  shows: string,
  then?: (page: Page) => Promise<void>,
];

export const openAda = async (page: Page) => {
  await lead(page, 'Ada Byron').click();
  await expect(heading(page, 'Ada Byron')).toBeVisible();
};

export const deskPages: Look[] = [
  ['inbox', '/', 'less than 4 h left'],
  ['lead', '/', 'less than 4 h left', openAda],
  ['newsletter', '/newsletter/issues', 'Four jobs to give to a script first'],
  ['write', '/newsletter', 'ready to test'],
  ['numbers', '/numbers', 'Nobody can say how many different people'],
  ['site', '/site', 'Shown now'],
  ['health', '/health', 'Before you go live'],
];

const issue = `# What a chatbot should leave to you

It answers at night, and it never tires of the same question. After a year of building them for shops around here, this is what we tell every owner first.

Leave to a person:

- prices that depend on the case
- anybody who is angry
- the second question about the same order

A good assistant knows when to hand over, and says who will answer and by when.
`;

/** Different for each day, but the same in every run. */
const vary = (at: number, most: number) =>
  Math.round(most * (0.35 + 0.65 * Math.abs(Math.sin(at * at + 1.7 * at))));

/** `readers`: how many have subscribed to the newsletter. */
export async function fillDesk(desk: Desk, readers: number) {
  for (const [name, , message, source] of rows) await desk.write(name, message, source);
  await desk.app.command('publish', frozen.dist);
  const database = new DatabaseSync(desk.app.database, { timeout: 30_000 });
  const run = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).run(...values);
  // A second notice of held leads waits for an hour.
  const onItsWay = database.prepare(
    "SELECT kind, last_error FROM deliveries WHERE state = 'pending' AND kind <> 'held_notice'",
  );
  await expect.poll(() => onItsWay.all()).toEqual([]);
  run('BEGIN IMMEDIATE');
  const ids = database.prepare('SELECT id FROM contacts ORDER BY id').all();
  rows.forEach(([, hours, , , change = {}], at) => {
    const id = ids[at]?.id as string;
    const came = ago(hours * hour);
    run('UPDATE contacts SET created_at = ? WHERE id = ?', came, id);
    run(
      'UPDATE deliveries SET created_at = ?, finished_at = ? WHERE contact_id = ?',
      came,
      came,
      id,
    );
    if (hours > 1) run('UPDATE contacts SET seen_at = ? WHERE id = ?', came, id);
    for (const [column, value] of Object.entries(change))
      run(`UPDATE contacts SET ${column} = ? WHERE id = ?`, value, id);
    if (change.state === undefined) return;
    const done = ago((hours - 3 - (at % 4)) * hour);
    run('UPDATE contacts SET answered_at = ? WHERE id = ?', done, id);
    run(
      "INSERT INTO contact_changes VALUES (?, 1, ?, ?, 'Ben', 'state', NULL)",
      id,
      change.state,
      done,
    );
  });
  for (const [at, name] of ['Mary Keller', 'Karen Jones'].entries())
    run(
      `INSERT INTO bookings (service, id, contact_id, matched_by, starts_at, told_at, created_at)
        SELECT 'cal', id, id, 'token', ?, ?, ? FROM contacts WHERE name = ?`,
      ago(-(0.8 + 1.5 * at) * hour),
      ago(day),
      ago(day),
      name,
    );
  newsletter(run, readers);
  earlier(run);
  visits(run);
  releases(run);
  run('COMMIT');
  database.close();
}

type Run = (sql: string, ...values: SQLInputValue[]) => unknown;

/** Two months of leads that are dealt with. */
function earlier(run: Run) {
  for (let at = 0; at < 70; at += 1) {
    const came = 5 * day + at * 0.8 * day;
    const state = ['answered', 'booked', 'closed'][at % 3] as string;
    const source = ['google.com', '', 'linkedin.com', 'google.com', 'newsletter'][at % 5] as string;
    run(
      `INSERT INTO contacts (id, name, email, email_key, message, created_at, state, answered_at, referrer_host, landing_path)
        VALUES (?1, 'A visitor', ?2, ?2, 'An earlier question', ?3, ?4, ?5, ?6, ?7)`,
      `earlier-${at}`,
      `visitor-${at}@example.org`,
      ago(came),
      state,
      ago(came - (1 + vary(at, 21)) * hour),
      source || null,
      at % 2 ? '/' : '/services',
    );
  }
}

function visits(run: Run) {
  const sources = [
    ['google.com', 62],
    ['', 48],
    ['linkedin.com', 18],
    ['newsletter', 14],
    ['bing.com', 9],
  ] as const;
  // Whole days back from the site's date: not all of its days have 24 hours.
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Toronto' });
  for (let back = 0; back < 60; back += 1)
    sources.forEach(([source, most], at) => {
      const requested = vary(back + at, most) - Math.floor(back / 8);
      if (requested < 1) return;
      const seen = Math.ceil(requested * 0.42);
      const started = vary(back + 2 * at, seen / 9);
      run(
        "INSERT INTO visits VALUES (?, ?, ?, '', ?, ?, ?, ?)",
        new Date(Date.parse(today) - back * day).toISOString().slice(0, 10),
        at % 2 ? '/' : '/services',
        source,
        requested,
        seen,
        started,
        Math.floor(started / 3),
      );
    });
}

const issues = [
  ['four-jobs', 'Four jobs to give to a script first', 30],
  ['opening-hours', 'Your opening hours are wrong somewhere', 61],
  ['first-page', 'What a visitor wants to know in five seconds', 92],
] as const;

/** The issues that went out, the one that is written, and those who get it: two of their addresses are refused. */
function newsletter(run: Run, readers: number) {
  for (let at = 0; at < readers + 36; at += 1) {
    const came = ago((at < readers ? 3 + at * 1.6 : 300) * day);
    const others = at < readers + 31 ? 'unsubscribed' : 'pending';
    const state = at < readers ? 'confirmed' : others;
    run(
      `INSERT INTO subscribers (id, email, email_key, state, created_at, page, consent_version, confirmed_at, unsubscribed_at)
        VALUES (?1, ?2, ?2, ?3, ?4, '/blog', 1, ?5, ?6)`,
      `subscriber-${at}`,
      `reader-${at}@example.org`,
      state,
      came,
      state === 'pending' ? null : came,
      state === 'unsubscribed' ? ago((at - readers) * 9 * day) : null,
    );
  }
  for (const [id, subject, days] of issues) {
    const sent = ago(days * day);
    run('INSERT INTO newsletter_issues VALUES (?1, ?2, ?1, ?3, ?3)', id, subject, sent);
    run(
      `INSERT INTO newsletter_sends SELECT ?1, id, 'sent', ?2, NULL FROM subscribers
        WHERE state = 'confirmed' AND created_at < ?2`,
      id,
      sent,
    );
  }
  const refuse = (id: string, code: string) => {
    run(
      "UPDATE newsletter_sends SET state = 'refused', code = ? WHERE subscriber_id = ?",
      code,
      id,
    );
    run(
      'UPDATE subscribers SET refused_code = ?1, refused_at = ?2, refusals = 2, suspended_at = ?2 WHERE id = ?3',
      code,
      ago(30 * day),
      id,
    );
  };
  refuse('subscriber-35', '550 5.1.1');
  refuse('subscriber-36', '552 5.2.2');
  run('INSERT INTO issue_draft (id, text, kept_at) VALUES (1, ?, ?)', issue, ago(hour / 60));
}

/** Two more releases before the one that is shown. */
function releases(run: Run) {
  const changes = [
    { added: [], removed: [], changed: ['/pricing'] },
    { added: ['/blog/ai-chatbots-convert'], removed: [], changed: ['/', '/blog'] },
  ];
  run("UPDATE releases SET published_at = ?, who = 'anna'", ago(20 * day));
  changes.forEach((change, at) => {
    run(
      `INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, facts, turn, content, changes, who)
        SELECT id + ?1, checksum || ?1, carried, pages, bytes, ?2, facts, turn + ?1, content, ?3, 'ben'
        FROM releases WHERE id = 1`,
      at + 1,
      ago((9 - 7 * at) * day),
      JSON.stringify(change),
    );
  });
}
