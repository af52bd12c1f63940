/** A text that is saved to the server while it is written; nothing unsaved is dropped silently. */
import { useEffect, useRef, useState } from 'react';

const pause = 700;
const pauseAfterFailure = 3000;
const failed = 'not kept yet: the server does not answer';

/** `stored` is what the server has; `keep` resolves once it has the new text. `says` is the state in words. */
export function useKeptDraft(stored: string, keep: (text: string) => Promise<unknown>) {
  const [text, setText] = useState(stored);
  const [says, setSays] = useState('');
  const has = useRef(stored);
  const latest = useRef({ text, keep });
  latest.current = { text, keep };

  // Another browser wrote, or the reply left: take that over unless something was changed here.
  useEffect(() => {
    if (latest.current.text !== has.current) return;
    has.current = stored;
    setText(stored);
  }, [stored]);

  useEffect(() => {
    if (text === has.current) return;
    setSays((before) => (before === failed ? before : 'keeping the draft …'));
    const send = () =>
      latest.current.keep(text).then(
        () => {
          has.current = text;
          if (latest.current.text === text) setSays('draft kept');
        },
        () => {
          setSays(failed);
          if (latest.current.text === text) timer = setTimeout(send, pauseAfterFailure);
        },
      );
    let timer = setTimeout(send, pause);
    return () => clearTimeout(timer);
  }, [text]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (latest.current.text !== has.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      const { text, keep } = latest.current;
      if (text !== has.current) void keep(text).catch(() => {});
    };
  }, []);

  return { text, setText, says };
}
