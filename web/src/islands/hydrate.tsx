/** The only place where React starts: it takes over the HTML of one island. */
import { type ComponentType, type ReactNode, startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';

/** Its other properties come from the HTML, where the build has checked them; `host` is the island's element. */
export type IslandComponent = ComponentType<{ host: HTMLElement }>;

/** Resolves once the island works; `onError` gets the first error that breaks it, then or later. */
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
    // In small steps, so that the page stays responsive; by default React does it in one.
    startTransition(() => {
      const root = hydrateRoot(
        host,
        <OnMount run={() => resolve(() => root.unmount())}>
          <Component {...JSON.parse(host.dataset.props ?? '{}')} host={host} />
        </OnMount>,
        { identifierPrefix: host.dataset.island ?? '', onUncaughtError },
      );
    });
  });
}

/** Effects run from the inside out: when this one does, all of the island's have. */
function OnMount({ run, children }: { run: () => void; children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: an island mounts once.
  useEffect(run, []);
  return children;
}
