/** The browser's side: takes over the page as it was served. */
import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { rememberFirstTouch } from './lib/first-touch.ts';
import { adoptProse } from './lib/prose.ts';
import { layOutWhole } from './lib/scroll.ts';
import { loadPage } from './load-page.ts';
import { notFound, targetAt } from './routes.ts';
import './styles/base.css';

const root = document.getElementById('root');
// A task of its own, after that of reading the scripts.
if (root) setTimeout(start, 0, root);

function start(root: HTMLElement) {
  rememberFirstTouch();
  addEventListener('scroll', layOutWhole, { once: true, passive: true });
  adoptProse(root);
  const served = root.cloneNode(true);
  const path = location.pathname;
  // A piece that fails takes the app down, never the page: it is complete without a script.
  const onUncaughtError = (error: unknown) => {
    console.error(error);
    if (location.pathname === path) root.replaceWith(served);
    else location.reload();
  };
  // Not awaited at the top: the page's file imports from this one and would wait for it in turn.
  loadPage(targetAt(path) ?? notFound).then((first) =>
    startTransition(() => {
      hydrateRoot(root, <App first={first} />, { onUncaughtError });
    }),
  );
}
