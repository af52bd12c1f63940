/** How this visit began: kept only in the tab, without cookies, and sent only with a lead. */
import { tabStorage } from './tab-storage.ts';

const key = 'first-touch';
/** Stored by the page itself, before any script loads (`first-paint/loader.ts`). */
const landingKey = 'landing';
type Landing = [address: string, referrerHost: string | null];
const campaignTags = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;

export type FirstTouch = Partial<
  Record<'landing_path' | 'referrer_host' | (typeof campaignTags)[number], string>
>;

export function rememberFirstTouch() {
  if (readFirstTouch()) return;
  const here: Landing = [location.href, document.referrer.split('/')[2] ?? null];
  const [address, referrer] = tabStorage.get<Landing>(landingKey) ?? here;
  const { pathname, searchParams } = new URL(address);
  const touch: FirstTouch = { landing_path: pathname };
  if (referrer && referrer !== location.host) touch.referrer_host = referrer;
  for (const tag of campaignTags) {
    const value = searchParams.get(tag);
    if (value) touch[tag] = value;
  }
  tabStorage.set(key, touch);
}

export const readFirstTouch = () => tabStorage.get<FirstTouch>(key);
