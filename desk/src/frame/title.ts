import { useEffect } from 'react';
import { useOwner } from '../api/owner.ts';
import { useInbox } from '../api/queries.ts';

/** The tab says the page and, before it, how many wait for an answer. */
export function useTitle(page: string): void {
  const waiting = useInbox('waiting').data?.pages[0]?.counts.waiting ?? 0;
  const { name } = useOwner().site;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page} | ${name} desk`;
  }, [page, waiting, name]);
}
