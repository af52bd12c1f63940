/** The one place where React comes in: takes over an island's own HTML and nothing else. */
import { type ComponentType, type ReactNode, startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';

/** Its own properties come from the HTML, where the build has checked them; `host` is the element it lives in. */
export type IslandComponent = ComponentType<{ host: HTMLElement }>;

/** Resolves once the island answers; `onError` hears of the first thing that breaks it, then or later. */
export function hydrate(
  host: HTMLElement,
  Component: IslandComponent,
  onError: (error: unknown) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const onUncaughtError = (error: unknown) => {
      onError(error);
      reject(error);
    };
    // In steps that let the page answer in between; left to itself, React does it in one go.
    startTransition(() => {
      const root = hydrateRoot(
        host,
        <Awake then={() => resolve(() => root.unmount())}>
          <Component {...JSON.parse(host.dataset.props ?? '{}')} host={host} />
        </Awake>,
        { identifierPrefix: host.dataset.island ?? '', onUncaughtError },
      );
    });
  });
}

/** Effects run from the inside out: when this one does, all of the island's have. */
function Awake({ then, children }: { then: () => void; children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it wakes once.
  useEffect(then, []);
  return children;
}
