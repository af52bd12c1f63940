import { createContext, useContext } from 'react';

export type SectionWords = {
  kicker?: string | undefined;
  title?: string | undefined;
  /** The subtitle: a sentence or two. */
  lead?: string | undefined;
};

/** The words of the section around, and the id of its title. */
export const SectionContext = createContext<SectionWords & { titleId?: string }>({});

/** The title of the section around it, which is labelled by it. */
export function SectionTitle({ className }: { className?: string | undefined }) {
  const { title, titleId } = useContext(SectionContext);
  return (
    <h2 id={titleId} className={className}>
      {title}
    </h2>
  );
}
