import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { act } from '../../actions/leads.ts';
import { ask, post } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import { useNewsletter } from '../../api/queries.ts';
import type { IssuePreview, Newsletter } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useKeptDraft, useSettled } from '../../lib/kept-draft.ts';
import { clockTime } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { paths } from '../../routes.ts';
import { Pick } from '../../ui/field.tsx';
import {
  MailFrame,
  type Scheme,
  SchemeChoice,
  systemScheme,
  type Width,
  WidthChoice,
} from '../../ui/mail-frame.tsx';
import prose from '../../ui/prose.module.css';
import { Growth } from './growth.tsx';
import { NewsletterViews } from './newsletter-views.tsx';
import { Progress } from './progress.tsx';
import { SendLock } from './send-lock.tsx';
import { LastIssue, Suspended } from './suspended.tsx';
import styles from './write-page.module.css';

export function WritePage() {
  const { data } = useNewsletter();
  if (!data)
    return <PageHead title="Newsletter" views={<NewsletterViews current={paths.newsletter} />} />;
  return <Write newsletter={data} />;
}

function Write({ newsletter }: { newsletter: Newsletter }) {
  const { draft, counts, issues, posts } = newsletter;
  const { site } = useOwner();
  const kept = useKeptDraft(draft.text, (text) => ask('PUT', 'newsletter/draft', { text }));
  const tested = useTestedText(draft);
  const [width, setWidth] = useState<Width>('wide');
  const [scheme, setScheme] = useState<Scheme>(systemScheme);
  const preview = usePreview(kept.text);
  const running = issues.find(({ state }) => state === 'sending' || state === 'paused');
  useCommand(
    tested.is(kept.text)
      ? 'frontdoor newsletter send issue.md'
      : `frontdoor newsletter send issue.md --test ${site.email}`,
  );

  const test = async () => {
    const { text } = kept;
    if (await act(() => post('newsletter/test', { text }), 'newsletter')) tested.set(text);
  };
  const send = (at: string | null) =>
    void act(() => post('newsletter/send', { text: kept.text, at }), 'newsletter');
  const keptAt = draft.kept_at
    ? `draft kept at ${clockTime(Date.parse(draft.kept_at), site.zone)}`
    : '';
  return (
    <>
      <PageHead
        title="Newsletter"
        views={<NewsletterViews current={paths.newsletter} />}
        says={
          <span className={prose.aside} role="status">
            {kept.says || keptAt}
          </span>
        }
      >
        {posts.length > 0 && (
          <Pick
            label="Begin from a blog post"
            options={posts.map((post) => post.title)}
            onPick={(index) => kept.setText(posts[index]?.text ?? '')}
          />
        )}
      </PageHead>
      <div className={styles.issue}>
        <section className={styles.source} aria-labelledby="markdown">
          <header className={styles.head}>
            <h2 id="markdown">Markdown</h2>
            <p className={prose.aside}>the first heading is the subject</p>
            <p className={styles.end}>{preview ? plural(preview.words, 'word') : ''}</p>
          </header>
          <label className={prose.hidden} htmlFor="issue">
            The issue in Markdown
          </label>
          <textarea
            id="issue"
            placeholder={'# What this issue is about\n\nThe text, in Markdown.'}
            value={kept.text}
            onChange={(event) => kept.setText(event.target.value)}
          />
        </section>
        <section className={styles.real} aria-labelledby="mail">
          <header className={styles.head}>
            <h2 id="mail">The mail itself</h2>
            <span className={styles.end}>
              <WidthChoice value={width} onChange={setWidth} />
              <SchemeChoice value={scheme} onChange={setScheme} />
            </span>
          </header>
          <MailFrame url={preview?.url} width={width} scheme={scheme} />
        </section>
      </div>
      {running ? (
        <Progress issue={running} />
      ) : (
        <SendLock
          isWritten={kept.text.trim() !== '' && preview !== undefined && preview.problem === null}
          problem={preview?.problem ?? null}
          isTested={tested.is(kept.text)}
          testedAt={draft.tested_at}
          people={counts.confirmed}
          test={() => void test()}
          send={send}
        />
      )}
      <div className={styles.lower}>
        <Growth newsletter={newsletter} />
        <div>
          <Suspended subscribers={newsletter.suspended} />
          <LastIssue issues={issues} />
        </div>
      </div>
    </>
  );
}

/** What the last test showed: any other text locks sending again at once, before the server hears of it. */
function useTestedText({ text, tested_text_is_current }: Newsletter['draft']) {
  const tested = useRef<string | undefined>(tested_text_is_current ? text : undefined);
  useEffect(() => {
    if (tested_text_is_current) tested.current = text;
  }, [text, tested_text_is_current]);
  return {
    is: (now: string) => tested.current === now,
    set: (now: string) => {
      tested.current = now;
    },
  };
}

function usePreview(draft: string): IssuePreview | undefined {
  const settled = useSettled(draft, 300);
  return useQuery({
    queryKey: ['issue-preview', settled],
    queryFn: () => post<IssuePreview>('newsletter/preview', { text: settled }),
    enabled: settled.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  }).data;
}
