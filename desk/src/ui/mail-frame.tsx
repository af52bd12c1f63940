import { useEffect, useState } from 'react';
import styles from './mail-frame.module.css';
import prose from './prose.module.css';
import { Segmented } from './segmented.tsx';

export type Width = 'wide' | 'phone';
export type Scheme = 'light' | 'dark';

interface Props {
  /** Where the server shows the mail. */
  url: string | undefined;
  width: Width;
  scheme: Scheme;
}

/**
 * The mail itself, as the server renders it, without scripts and without a way to the desk. The one before
 * stays in sight until the next is there.
 */
export function MailFrame({ url, width, scheme }: Props) {
  const wanted = url && `${url}?scheme=${scheme}`;
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    if (!shown && wanted) setShown(wanted);
  }, [shown, wanted]);
  const frames = [...new Set([shown, wanted])].filter((each) => each !== undefined);
  return (
    <div className={styles.desk} data-scheme={scheme}>
      {frames.map((src) => (
        <iframe
          key={src}
          className={`${styles[width]} ${src === shown ? '' : styles.next}`}
          aria-hidden={src === shown ? undefined : true}
          tabIndex={src === shown ? undefined : -1}
          title="The mail as it will arrive"
          sandbox=""
          src={src}
          onLoad={() => src === wanted && setShown(src)}
        />
      ))}
    </div>
  );
}

/** A phone shows it as phones do. */
export const WidthChoice = (props: { value: Width; onChange: (width: Width) => void }) => (
  <span className={prose.wide}>
    <Segmented
      label="Show the mail"
      options={[
        { value: 'wide', label: 'Wide', icon: 'wide' },
        { value: 'phone', label: 'Phone', icon: 'phone' },
      ]}
      {...props}
    />
  </span>
);

export const SchemeChoice = (props: { value: Scheme; onChange: (scheme: Scheme) => void }) => (
  <Segmented
    label="Colours of the mail program"
    options={[
      { value: 'light', label: 'Light', icon: 'sun', iconOnly: true },
      { value: 'dark', label: 'Dark', icon: 'moon', iconOnly: true },
    ]}
    {...props}
  />
);

export const systemScheme = (): Scheme =>
  matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
