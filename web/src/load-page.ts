import type { PageModule, Target, View } from './lib/page.ts';

const modules = import.meta.glob<PageModule>('./pages/*/page.tsx');

export const moduleFile = (page: string) => `./pages/${page}/page.tsx`;

/** Loads all a page needs to be rendered at once, without a waiting state. */
export async function loadPage(target: Target): Promise<View> {
  const load = modules[moduleFile(target.page)];
  if (!load) throw new Error(`there is no page ${target.page}`);
  const module = await load();
  await module.prepare?.(target.slug);
  return { ...target, module };
}
