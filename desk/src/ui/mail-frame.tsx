import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { post } from '../api/client.ts';
import type { Preview } from '../api/types.ts';
import { Segmented } from './button.tsx';
import styles from './mail-frame.module.css';
import prose from './prose.module.css';

/** The mail as the server renders it, requested once typing pauses. */
export function usePreview<T extends Preview>(path: string, text: object, enabled: boolean) {
  const latest = JSON.stringify(text);
  const [settled, setSettled] = useState(latest);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(latest), 300);
    return () => clearTimeout(timer);
  }, [latest]);
  return useQuery({
    queryKey: ['preview', path, settled],
    queryFn: () => post<T>(path, JSON.parse(settled)),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  }).data;
}

const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

interface Props {
  heading: ReactNode;
  /** Where the server shows the mail. */
  url: string | undefined;
  /** Shown in place of the mail. */
  idle?: string | false;
}

/**
 * The mail itself, sandboxed: no scripts, no access to the desk. The old version stays visible until the new one
 * has loaded.
 */
export function MailFrame({ heading, url, idle }: Props) {
  const [width, setWidth] = useState('wide');
  const [scheme, setScheme] = useState(systemScheme);
  const [loaded, setLoaded] = useState<string>();
  const wanted = url && `${url}?scheme=${scheme}`;
  const shown = loaded ?? wanted;
  const frames = [...new Set([shown, wanted])].filter((each) => each !== undefined);
  return (
    <>
      <header className={styles.head}>
        {heading}
        <span className={styles.end}>
          {/* On a phone it is always as wide as a phone. */}
          <span className={prose.wide}>
            <Segmented
              label="Show the mail"
              options={[
                { value: 'wide', label: 'Wide', icon: 'wide' },
                { value: 'phone', label: 'Phone', icon: 'phone' },
              ]}
              value={width}
              onChange={setWidth}
            />
          </span>
          <Segmented
            label="Colours of the mail program"
            options={[
              { value: 'light', label: 'Light', icon: 'sun', iconOnly: true },
              { value: 'dark', label: 'Dark', icon: 'moon', iconOnly: true },
            ]}
            value={scheme}
            onChange={setScheme}
          />
        </span>
      </header>
      {idle ? (
        <p className={styles.idle}>{idle}</p>
      ) : (
        <div className={styles.mail} data-scheme={scheme}>
          {frames.map((src) => (
            <iframe
              key={src}
              data-width={width}
              data-next={src !== shown}
              aria-hidden={src !== shown}
              tabIndex={src === shown ? undefined : -1}
              title="The mail as it will arrive"
              sandbox=""
              src={src}
              onLoad={() => src === wanted && setLoaded(src)}
            />
          ))}
        </div>
      )}
    </>
  );
}
