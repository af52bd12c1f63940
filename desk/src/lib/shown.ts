import { createContext, useContext } from 'react';

/** Whether the page around is on screen: the inbox stays mounted while another page is shown. */
export const IsShown = createContext(true);

export const useIsShown = (): boolean => useContext(IsShown);
