/**
 * The script of every page: small behaviours attached by data attributes, navigation from page to page, and islands that
 * wake when they are needed. React loads with the first island.
 */
import { chat } from './behaviours/chat.ts';
import { footerYear, headerGround } from './behaviours/header-footer.ts';
import { lateFonts } from './behaviours/late-fonts.ts';
import { layOutWhenIdle } from './behaviours/lay-out.ts';
import { menu } from './behaviours/menu.ts';
import { particles, pauseMotion, playScenes } from './behaviours/motion.ts';
import { reveal } from './behaviours/reveal.ts';
import { scrollToTopOnClick } from './behaviours/scroll-to-top.ts';
import { countVisit } from './behaviours/visits.ts';
import { holdSubmitsAndClicks, prepareIslands, wakeOnTouch } from './islands/events.ts';
import { drafts } from './lib/draft.ts';
import { newPage } from './lib/events.ts';
import { rememberFirstTouch } from './lib/first-touch.ts';
import { fetchAhead, navigateInPlace } from './navigation/navigate.ts';

/** Started once: what is around the pages, and what listens on all of them. */
const site = [
  rememberFirstTouch,
  headerGround,
  menu,
  scrollToTopOnClick,
  pauseMotion,
  footerYear,
  wakeOnTouch,
  holdSubmitsAndClicks,
  fetchAhead,
  navigateInPlace,
  lateFonts,
  chat,
  countVisit,
];

/** Started on each page, until its signal says that the visitor has left it. */
const page = [drafts, prepareIslands, reveal, particles, playScenes, layOutWhenIdle];

let leaving = new AbortController();

function enter() {
  leaving.abort();
  leaving = new AbortController();
  const main = document.getElementById('main');
  if (!main) return;
  for (const behaviour of page) attempt(() => behaviour(main, leaving.signal));
}

/** If one fails, the others go on. */
function attempt(work: () => void) {
  try {
    work();
  } catch (error) {
    console.error(error);
  }
}

for (const behaviour of site) attempt(behaviour);
enter();
document.addEventListener(newPage, enter);
// For whoever waits for it, such as tests and benchmarks.
document.documentElement.dataset.alive = '';
