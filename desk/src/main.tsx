import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Switch, useRoute } from 'wouter';
import { asProblem, OwnerContext, queries, useMe } from './api/queries.ts';
import styles from './frame/frame.module.css';
import { Frame } from './frame/frame.tsx';
import { afterPaint, PageContext } from './lib/page.ts';
import { HealthPage } from './pages/health/health-page.tsx';
import { InboxPage } from './pages/inbox/inbox-page.tsx';
import { LeadView } from './pages/lead/lead-page.tsx';
import { IssuesPage, SubscribersPage, WritePage } from './pages/newsletter/newsletter-pages.tsx';
import { NumbersPage } from './pages/numbers/numbers-page.tsx';
import { SitePage } from './pages/site/site-page.tsx';
import { followLink, paths } from './routes.ts';
import { Empty } from './ui/parts.tsx';
import './styles/tokens.css';
import './styles/base.css';

function App() {
  const me = useMe();
  if (me.error && asProblem(me.error).status === 401) {
    // The server has the sign-in page, which says why it is there.
    location.replace(`/?ended&to=${encodeURIComponent(location.pathname)}`);
    return null;
  }
  if (me.isPending) return null;
  if (me.data) return <OwnerContext value={me.data}>{pages}</OwnerContext>;
  return (
    <main>
      <Empty
        title="The server isn’t answering"
        next="Nothing is lost. Trying again every three seconds."
        isPage
      />
    </main>
  );
}

const inbox = <InboxPage />;
const isInboxOpen = () => location.pathname === paths.inbox;

/**
 * The owner always comes back to the inbox: it stays as it was laid out, and a press on its link only makes it visible.
 * What is new is fetched and shown after that.
 */
function Inbox() {
  const [isOpen] = useRoute(paths.inbox);
  const [isShown, setShown] = useState(isOpen);
  const page = useMemo(() => ({ isOpen: isInboxOpen, isShown }), [isShown]);
  useEffect(() => {
    afterPaint(() => setShown(isOpen));
  }, [isOpen]);
  return (
    <div className={isOpen ? undefined : styles.outOfSight}>
      <PageContext value={page}>{inbox}</PageContext>
    </div>
  );
}

const pages = (
  <Frame>
    <Inbox />
    <Switch>
      <Route path={paths.inbox} />
      <Route path="/leads/:id">{({ id }) => <LeadView key={id} id={id} />}</Route>
      <Route path="/leads/:id/reply">{({ id }) => <LeadView key={id} id={id} replying />}</Route>
      <Route path={paths.newsletter} component={WritePage} />
      <Route path={paths.issues} component={IssuesPage} />
      <Route path={paths.subscribers} component={SubscribersPage} />
      <Route path={paths.numbers} component={NumbersPage} />
      <Route path={paths.site} component={SitePage} />
      <Route path={paths.health} component={HealthPage} />
      <Route>
        <Empty title="There is no such page" next="Use the navigation to find a page." isPage />
      </Route>
    </Switch>
  </Frame>
);

document.addEventListener('click', followLink);
createRoot(document.getElementById('desk') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
