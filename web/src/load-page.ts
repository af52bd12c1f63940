import type { PageModule, Target, View } from './lib/page.ts';

const modules = import.meta.glob<PageModule>('./pages/*/page.tsx');

/** At build time: in the browser a page comes as HTML. */
export async function loadPage(target: Target): Promise<View> {
  const load = modules[`./pages/${target.page}/page.tsx`];
  if (!load) throw new Error(`there is no page ${target.page}`);
  return { ...target, module: await load() };
}
