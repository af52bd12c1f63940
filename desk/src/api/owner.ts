import { createContext, useContext } from 'react';
import type { Me } from './types.ts';

const OwnerContext = createContext<Me | null>(null);

export const OwnerProvider = OwnerContext.Provider;

/** Who is signed in, and the site's facts: known on every page but the sign-in page. */
export function useOwner(): Me {
  const owner = useContext(OwnerContext);
  if (!owner) throw new Error('nobody is signed in');
  return owner;
}
