/**
 * Inline in the head of every page. It reads the script's name from an attribute, so its text, and with it its hash in the
 * policy, is the same on every page. README.md says why it does what it does.
 */

// How the visit began: the visitor may leave before any other script has loaded (`lib/first-touch.ts`).
try {
  sessionStorage.landing ||= JSON.stringify([location.href, document.referrer.split('/')[2]]);
} catch {
  // Storage is switched off: the script remembers it for this page only.
}

// A page that is reloaded or returned to keeps its position: estimated heights (`--far`) would move it.
const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
if (visit?.type !== 'navigate') document.documentElement.dataset.whole = '';

const entry = document.currentScript?.dataset.entry ?? '';
const paintTimeout = 3_000;

const manifest = document.querySelector('[rel=manifest]');
manifest?.remove();

let asked = false;
const load = () => {
  if (asked) return;
  asked = true;
  if (manifest) document.head.append(manifest);
  import(/* @vite-ignore */ entry);
};

// Some browsers don't report the paint.
function loadAfterPaint() {
  setTimeout(load, paintTimeout);
  if (!PerformanceObserver.supportedEntryTypes.includes('paint'))
    return void requestAnimationFrame(load);
  new PerformanceObserver((list, observer) => {
    if (!list.getEntriesByName('first-contentful-paint')[0]) return;
    observer.disconnect();
    load();
  }).observe({ type: 'paint', buffered: true });
}

// The script needs the whole page.
addEventListener('DOMContentLoaded', loadAfterPaint);
