import { offerUndo, tellFailure } from '../../actions/toasts.ts';
import { post } from '../../api/client.ts';
import { useOwner, useTimes } from '../../api/owner.ts';
import { refresh, useSite } from '../../api/queries.ts';
import type { ReleaseRow } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { list, plural, size } from '../../lib/words.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Command } from '../../ui/command.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import { Chip } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './site-page.module.css';

/** The pages that the program carries have this number. */
const builtIn = 0;

async function rollBack(to: number): Promise<void> {
  try {
    const { said, undo } = await post<{ said: string; undo: number }>('site/roll-back', { to });
    offerUndo({
      said,
      verb: 'Undo',
      reverse: async () => (await post('site/roll-back', { to: undo })).said,
    });
  } catch (error) {
    tellFailure(error, 'The site shows what it showed.');
  }
  refresh('site');
}

export function SitePage() {
  const { data } = useSite();
  const { site, version } = useOwner();
  useCommand('frontdoor releases list');
  const shown = data?.releases.find((release) => release.shown);
  return (
    <>
      <PageHead title="Site" says={<span className={prose.aside}>{host(site.url)}</span>}>
        <ButtonLink href={site.url} rel="noopener" target="_blank">
          Open the site
        </ButtonLink>
      </PageHead>
      <div className={styles.body}>
        <Part title="Releases" says="newest first">
          <ol className={styles.releases}>
            {data?.releases.map((release) => (
              <Row key={release.id} release={release} version={version} />
            ))}
          </ol>
          <p className={prose.aside}>
            Going back takes a second and can be undone. Nothing is deleted: leads, subscribers and
            the newer releases stay.
          </p>
        </Part>
        <div>
          {shown && <Changes release={shown} url={site.url} />}
          <Part title="Publish">
            <p className={styles.publish}>
              Change the words in <code>content/</code>, build, publish. The release is checked
              first and refused whole if a page is wrong.
            </p>
            <Command command="frontdoor publish web/dist" />
          </Part>
        </div>
      </div>
    </>
  );
}

const host = (url: string) => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

function Row({ release, version }: { release: ReleaseRow; version: string }) {
  const times = useTimes();
  const isBuiltIn = release.id === builtIn;
  const when = release.published_at ? times.full(release.published_at) : 'As built';
  const by = isBuiltIn
    ? `the pages inside the program, version ${version}`
    : `${release.who ? `by ${release.who}, ` : ''}${plural(release.pages, 'page')}, ${size(release.bytes)}`;
  const command = `frontdoor releases rollback ${isBuiltIn ? 'built-in' : release.id}`;
  return (
    <li data-shown={release.shown} data-command={command}>
      <div>
        <h3>
          {when} {release.shown && <Chip present>Shown now</Chip>}{' '}
          <span className={prose.aside}>{by}</span>
        </h3>
        <p className={prose.small}>
          {isBuiltIn ? 'Always there, whatever was published' : whatChanged(release)}
        </p>
      </div>
      {!release.shown && (
        <Button tight command={command} onClick={() => void rollBack(release.id)}>
          Go back to this<span className={prose.hidden}> release of {when}</span>
        </Button>
      )}
    </li>
  );
}

/** "1 page added: /blog/a. 3 changed." */
function whatChanged({ changes }: ReleaseRow): string {
  if (!changes) return 'The first release';
  const parts = (['added', 'removed', 'changed'] as const)
    .map((kind) => ({ kind, pages: changes[kind] }))
    .filter(({ pages }) => pages.length > 0);
  if (parts.length === 0) return 'No page changed';
  return parts
    .map(({ kind, pages }, index) => {
      const count = index === 0 ? plural(pages.length, 'page') : String(pages.length);
      return `${count} ${kind}${pages.length < 3 ? `: ${list(pages)}` : ''}`;
    })
    .join('; ');
}

function Changes({ release, url }: { release: ReleaseRow; url: string }) {
  const { changes } = release;
  if (!changes) return null;
  const pages = [
    ...changes.added.map((path) => ({ path, label: 'Added' })),
    ...changes.changed.map((path) => ({ path, label: 'Changed' })),
    ...changes.removed.map((path) => ({ path, label: 'Removed' })),
  ];
  return (
    <Part title="Changed in what is shown" says="against the release before">
      {pages.length === 0 && <p className={prose.aside}>No page changed.</p>}
      <Facts>
        {pages.map(({ path, label }) => (
          <Fact key={path} label={label}>
            {label === 'Removed' ? (
              path
            ) : (
              <a
                className={prose.link}
                href={new URL(path, url).href}
                target="_blank"
                rel="noopener"
              >
                {path}
              </a>
            )}
          </Fact>
        ))}
      </Facts>
    </Part>
  );
}
