/**
 * How this visit began: kept in the tab only, without cookies, and sent only
 * together with a lead.
 */
import { tabStorage } from './tab-storage.ts';

const key = 'first-touch';
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
  const query = new URLSearchParams(location.search);
  const touch: FirstTouch = { landing_path: location.pathname };
  const referrer = URL.parse(document.referrer)?.host;
  if (referrer && referrer !== location.host) touch.referrer_host = referrer;
  for (const tag of campaignTags) {
    const value = query.get(tag);
    if (value) touch[tag] = value;
  }
  tabStorage.set(key, touch);
}

export const readFirstTouch = () => tabStorage.get<FirstTouch>(key);
