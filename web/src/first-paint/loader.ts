/**
 * Stands in every page, whole (`build/build.ts` minifies it). Notes how the
 * visit began, which a visitor may leave too soon for any other script to see
 * (`lib/first-touch.ts`). Then asks for the script, once the page has been
 * painted; some browsers do not tell of the paint, or never. The script's name
 * comes from an attribute, so that the text, and with it its hash, is the same
 * on every page.
 */
try {
  sessionStorage.landing ||= JSON.stringify([location.href, document.referrer.split('/')[2]]);
} catch {
  // Storage is switched off: the script notes it for this page alone.
}

const entry = document.currentScript?.dataset.entry ?? '';
const patience = 3_000;

const load = () => import(/* @vite-ignore */ entry);

if (PerformanceObserver.supportedEntryTypes.includes('paint')) {
  new PerformanceObserver((list, observer) => {
    if (!list.getEntriesByName('first-contentful-paint')[0]) return;
    observer.disconnect();
    load();
  }).observe({ type: 'paint', buffered: true });
} else requestAnimationFrame(load);
setTimeout(load, patience);
