/** A text that is saved on the server while it is being written; unsaved changes are never dropped silently. */
import { useEffect, useRef, useState } from 'react';

const pause = 700;
const pauseAfterFailure = 3000;
const failed = 'not kept yet: the server does not answer';

/** `stored` is the server's version; `store` resolves once the server has the new text. `status` is for the owner. */
export function useDraft(stored: string, store: (text: string) => Promise<unknown>) {
  const [text, setText] = useState(stored);
  const [status, setStatus] = useState('');
  const savedText = useRef(stored);
  const latest = useRef({ stored, text, store });
  latest.current = { stored, text, store };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Another browser changed the draft, or the reply was sent: show the server's version unless there are changes here.
  useEffect(() => {
    if (latest.current.text !== savedText.current) return;
    savedText.current = stored;
    setText(stored);
  }, [stored]);

  /** Saves unsaved changes. Returns whether the server has the text now. */
  const save = async (): Promise<boolean> => {
    clearTimeout(timer.current);
    const { text, store } = latest.current;
    if (text === savedText.current) return true;
    try {
      await store(text);
    } catch {
      setStatus(failed);
      if (latest.current.text === text) timer.current = setTimeout(save, pauseAfterFailure);
      return false;
    }
    savedText.current = text;
    if (latest.current.text === text) setStatus('draft kept');
    return true;
  };

  /** After sending: shows the server's version again. */
  const reset = () => {
    savedText.current = latest.current.stored;
    setText(latest.current.stored);
    setStatus('');
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text is to be saved.
  useEffect(() => {
    if (text === savedText.current) return;
    setStatus((before) => (before === failed ? before : 'keeping the draft …'));
    timer.current = setTimeout(save, pause);
    return () => clearTimeout(timer.current);
  }, [text]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (latest.current.text !== savedText.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      const { text, store } = latest.current;
      if (text !== savedText.current) void store(text).catch(() => {});
    };
  }, []);

  return { text, setText, status, save, reset };
}
