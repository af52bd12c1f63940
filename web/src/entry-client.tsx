/** The browser's side: takes over the page as it was served. */
import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { rememberFirstTouch } from './lib/first-touch.ts';
import { adoptProse } from './lib/prose.ts';
import { layOutWhole } from './lib/scroll.ts';
import { match, notFound, open } from './routes.ts';
import './styles/base.css';

const root = document.getElementById('root');
// A task of its own, after that of reading the scripts.
if (root) setTimeout(start, 0, root);

function start(root: HTMLElement) {
  rememberFirstTouch();
  addEventListener('scroll', layOutWhole, { once: true, passive: true });
  adoptProse(root);
  // Not awaited at the top: the page's file imports from this one and would wait for it in turn.
  open(match(location.pathname) ?? notFound).then((first) =>
    startTransition(() => {
      hydrateRoot(root, <App first={first} />);
    }),
  );
}
