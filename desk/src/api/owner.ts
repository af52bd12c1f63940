import { createContext, useContext } from 'react';
import { useNow } from '../lib/server-time.ts';
import { timeWords } from '../lib/words.ts';
import type { Me } from './types.ts';

export const OwnerContext = createContext<Me | null>(null);

/** Who is signed in, and facts about the site. The sign-in page is not part of this app. */
export function useOwner(): Me {
  const owner = useContext(OwnerContext);
  if (!owner) throw new Error('nobody is signed in');
  return owner;
}

/** Formats the server's times: `when(lead.created_at).short`. */
export function useTimes() {
  const { zone } = useOwner().site;
  const now = useNow();
  return (time: string) => timeWords(Date.parse(time), now, zone);
}
