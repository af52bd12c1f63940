/**
 * The script of every page: small behaviours attached by data attributes, navigation from page to page, and islands that
 * wake when they are needed. React loads with the first island.
 */
import { chat } from './behaviours/chat.ts';
import { footerYear, headerBackground } from './behaviours/header-footer.ts';
import { particles, pauseMotion, playScenes } from './behaviours/lasting-motion.ts';
import { lateFonts } from './behaviours/late-fonts.ts';
import { layOutWhenIdle } from './behaviours/lay-out.ts';
import { menu } from './behaviours/menu.ts';
import { reveal } from './behaviours/reveal.ts';
import { scrollToTopOnClick } from './behaviours/scroll-to-top.ts';
import { countVisit } from './behaviours/visits.ts';
import { holdSubmitsAndClicks, prepareIslands, wakeOnTouch } from './islands/triggers.ts';
import { drafts } from './lib/draft.ts';
import { newPage } from './lib/events.ts';
import { rememberFirstTouch } from './lib/first-touch.ts';
import { fetchAhead, navigateInPlace } from './navigation/navigate.ts';

/** Started once, for all pages. */
const siteBehaviours = [
  rememberFirstTouch,
  headerBackground,
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

/** Started on each page; its signal aborts when the visitor leaves the page. */
const pageBehaviours = [drafts, prepareIslands, reveal, particles, playScenes, layOutWhenIdle];

let currentPage = new AbortController();

function startPage() {
  currentPage.abort();
  currentPage = new AbortController();
  const main = document.getElementById('main');
  if (!main) return;
  for (const behaviour of pageBehaviours) attempt(() => behaviour(main, currentPage.signal));
}

/** If one fails, the others go on. */
function attempt(work: () => void) {
  try {
    work();
  } catch (error) {
    console.error(error);
  }
}

for (const behaviour of siteBehaviours) attempt(behaviour);
startPage();
document.addEventListener(newPage, startPage);
// Tests and benchmarks wait for it.
document.documentElement.dataset.alive = '';
