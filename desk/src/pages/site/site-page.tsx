import { notifyFailure, offerUndo } from '../../actions/toasts.ts';
import { post, refresh, useOwner, useSite, useTimes } from '../../api/queries.ts';
import type { ReleaseChanges, ReleaseRow, RolledBack } from '../../api/types.ts';
import { PageHead } from '../../frame/frame.tsx';
import { plural } from '../../lib/words.ts';
import { Button, ButtonLink, Chip, Command } from '../../ui/controls.tsx';
import { Facts, Part } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import styles from './site-page.module.css';

async function rollBack(to: number): Promise<void> {
  try {
    const { message, undo } = await post<RolledBack>('site/roll-back', { to });
    offerUndo({ message, reverse: () => post('site/roll-back', { to: undo }) });
  } catch (error) {
    void notifyFailure(error);
  }
  refresh('site');
}

export function SitePage() {
  const { data } = useSite();
  const { site } = useOwner();
  const shown = data?.find((release) => release.shown);
  return (
    <>
      <PageHead title="Site" command="frontdoor releases list" note={new URL(site.url).host}>
        <ButtonLink label="Open the site" href={site.url} rel="noopener" target="_blank" />
      </PageHead>
      <div className={`${ui.columns} ${ui.body}`}>
        <Part title="Releases" note="newest first">
          <ol className={`${ui.lines} ${styles.releases}`}>
            {data?.map((release) => (
              <Release key={release.id} release={release} />
            ))}
          </ol>
          <p className={ui.aside}>
            Going back takes a second and can be undone. Nothing is deleted: leads, subscribers and
            the newer releases stay.
          </p>
        </Part>
        <div>
          {shown?.changes && <Changes changes={shown.changes} url={site.url} />}
          <Part title="Publish">
            <p className={ui.small}>
              Change the words in <code>content/</code>, build, publish. The pages are checked
              first; if one is wrong, nothing is published.
            </p>
            <Command command="frontdoor publish web/dist" />
          </Part>
        </div>
      </div>
    </>
  );
}

function Release({ release }: { release: ReleaseRow }) {
  const { version } = useOwner();
  const when = useTimes();
  // The pages inside the program are release 0.
  const isBuiltIn = release.id === 0;
  const published = release.published_at ? when(release.published_at).full : 'As built';
  const by = isBuiltIn
    ? `the pages inside the program, version ${version}`
    : `${release.who ? `by ${release.who}, ` : ''}${plural(release.pages, 'page')}, ${size(release.bytes)}`;
  const command = `frontdoor releases rollback ${isBuiltIn ? 'built-in' : release.id}`;
  return (
    <li data-shown={release.shown} data-command={command}>
      <div>
        <h3>
          {published} {release.shown && <Chip label="Shown now" present />}{' '}
          <span className={ui.aside}>{by}</span>
        </h3>
        <p className={ui.small}>{isBuiltIn ? 'Always available' : whatChanged(release)}</p>
      </div>
      {!release.shown && (
        <Button
          label="Go back to this"
          about={`release of ${published}`}
          small
          command={command}
          onClick={() => rollBack(release.id)}
        />
      )}
    </li>
  );
}

/** "4.2 MB" */
function size(bytes: number): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** "1 page added: /blog/a; 3 changed" */
function whatChanged({ changes }: ReleaseRow): string {
  if (!changes) return 'The first release';
  const kinds = (['added', 'removed', 'changed'] as const).filter((kind) => changes[kind].length);
  const parts = kinds.map((kind, index) => {
    const pages = changes[kind];
    const count = index === 0 ? plural(pages.length, 'page') : String(pages.length);
    return `${count} ${kind}${pages.length < 3 ? `: ${pages.join(' and ')}` : ''}`;
  });
  return parts.join('; ') || 'No page changed';
}

function Changes({ changes, url }: { changes: ReleaseChanges; url: string }) {
  const link = (path: string) => (
    <a className={ui.link} href={new URL(path, url).href} target="_blank" rel="noopener">
      {path}
    </a>
  );
  const pages = [
    ...changes.added.map((path) => ({ label: 'Added', value: link(path) })),
    ...changes.changed.map((path) => ({ label: 'Changed', value: link(path) })),
    ...changes.removed.map((path) => ({ label: 'Removed', value: path })),
  ];
  return (
    <Part title="What changed" note="since the release before">
      {pages.length === 0 && <p className={ui.aside}>No page changed.</p>}
      <Facts rows={pages} />
    </Part>
  );
}
