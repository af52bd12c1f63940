import { createContext, useContext } from 'react';

/** What a page knows of itself. The inbox stays mounted while another page is open. */
export const PageContext = createContext({
  /** Whether the address is its own. */
  isOpen: (): boolean => true,
  /** Whether it is open and was painted: what the first paint doesn't need waits for that. */
  isShown: true,
});

export const useIsShown = (): boolean => useContext(PageContext).isShown;

export const afterPaint = (run: () => void) => requestAnimationFrame(() => setTimeout(run));
