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
  const latest = useRef({ stored, text, keep });
  latest.current = { stored, text, keep };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Another browser wrote, or the reply left: take that over unless something was changed here.
  useEffect(() => {
    if (latest.current.text !== has.current) return;
    has.current = stored;
    setText(stored);
  }, [stored]);

  /** Saves what the server does not have yet. Returns whether the server has it now. */
  const save = async (): Promise<boolean> => {
    clearTimeout(timer.current);
    const { text, keep } = latest.current;
    if (text === has.current) return true;
    try {
      await keep(text);
    } catch {
      setSays(failed);
      if (latest.current.text === text) timer.current = setTimeout(save, pauseAfterFailure);
      return false;
    }
    has.current = text;
    if (latest.current.text === text) setSays('draft kept');
    return true;
  };

  /** The text was sent: shows what the server has instead. */
  const sent = () => {
    has.current = latest.current.stored;
    setText(latest.current.stored);
    setSays('');
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text is to be saved.
  useEffect(() => {
    if (text === has.current) return;
    setSays((before) => (before === failed ? before : 'keeping the draft …'));
    timer.current = setTimeout(save, pause);
    return () => clearTimeout(timer.current);
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

  return { text, setText, says, save, sent };
}
