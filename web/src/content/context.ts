/** The content of the site, which `entry-server.tsx` hands to the pages it renders. */
import { createContext, useContext } from 'react';
import type { Content } from './types.ts';

export const ContentContext = createContext<Content | undefined>(undefined);

export function useContent(): Content {
  const content = useContext(ContentContext);
  if (!content) throw new Error('a component was rendered without the content of the site');
  return content;
}
