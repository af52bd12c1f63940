import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { post } from '../api/queries.ts';
import type { Preview } from '../api/types.ts';
import { Segmented } from '../ui/controls.tsx';
import ui from '../ui/ui.module.css';

/** The mail as the server renders it, requested once typing pauses. */
export function usePreview<T extends Preview>(path: string, text: object, enabled: boolean) {
  const latest = JSON.stringify(text);
  const [debounced, setDebounced] = useState(latest);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(latest), 300);
    return () => clearTimeout(timer);
  }, [latest]);
  const { data } = useQuery({
    queryKey: ['preview', path, debounced],
    queryFn: () => post<T>(path, JSON.parse(debounced)),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  });
  return enabled ? data : undefined;
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

interface Props {
  heading: ReactNode;
  /** Where the server shows the mail. */
  url: string | undefined;
  /** Shown instead of the mail. */
  placeholder?: string | false;
}

/** Sandboxed: no scripts, no access to the desk. The old version stays visible until the new one has loaded. */
export function MailFrame({ heading, url, placeholder }: Props) {
  const [width, setWidth] = useState<'wide' | 'phone'>('wide');
  const [scheme, setScheme] = useState<'light' | 'dark'>(darkSystem.matches ? 'dark' : 'light');
  const [loadedUrl, setLoadedUrl] = useState<string>();
  const latestUrl = url && `${url}?scheme=${scheme}`;
  const shownUrl = latestUrl && (loadedUrl ?? latestUrl);
  const frames = [...new Set([shownUrl, latestUrl])].filter((each) => each !== undefined);
  return (
    <>
      <header className={ui.mailHead}>
        {heading}
        <span className={ui.end}>
          {/* On a phone it is always as wide as a phone. */}
          <span className={ui.wide}>
            <Segmented
              label="Show the mail"
              options={['wide', 'phone']}
              icons={{ wide: 'wide', phone: 'phone' }}
              value={width}
              onChange={setWidth}
            />
          </span>
          <Segmented
            label="Colours of the mail program"
            options={['light', 'dark']}
            icons={{ light: 'sun', dark: 'moon' }}
            iconsOnly
            value={scheme}
            onChange={setScheme}
          />
        </span>
      </header>
      {placeholder ? (
        <p className={ui.placeholder}>{placeholder}</p>
      ) : (
        <div className={ui.mail}>
          {frames.map((src) => (
            <iframe
              key={src}
              style={{ colorScheme: scheme }}
              data-width={width}
              data-next={src !== shownUrl}
              aria-hidden={src !== shownUrl}
              tabIndex={src === shownUrl ? undefined : -1}
              title="The mail as it will arrive"
              sandbox=""
              src={src}
              onLoad={() => src === latestUrl && setLoadedUrl(src)}
            />
          ))}
        </div>
      )}
    </>
  );
}
