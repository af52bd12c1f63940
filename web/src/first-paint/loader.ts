/**
 * Stands in the head of every page, whole (the build minifies it). The script's name comes
 * from an attribute, so that the text, and with it its hash, is the same on
 * every page. Why it does what it does: README.md beside it.
 */

// How the visit began; a visitor may leave too soon for any other script to see (`lib/first-touch.ts`).
try {
  sessionStorage.landing ||= JSON.stringify([location.href, document.referrer.split('/')[2]]);
} catch {
  // Storage is switched off: the script notes it for this page alone.
}

// A page that is returned to stands where it was left. Said before anything is laid out: a height that is
// only guessed (`--far`) would move it.
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

// Some browsers do not tell of the paint, or never.
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

// The script looks for what stands in the page: all of it must be here.
addEventListener('DOMContentLoaded', loadAfterPaint);
