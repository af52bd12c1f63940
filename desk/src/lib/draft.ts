/** A text that is saved on the server while it is being written; unsaved changes are never dropped silently. */
import { useEffect, useRef, useState } from 'react';

const pause = 700;
const pauseAfterFailure = 3000;
const failed = 'not kept yet: the server does not answer';

/** `stored` is the server's version; `store` resolves once it is the new text. `status` is for the owner. */
export function useDraft(stored: string, store: (text: string) => Promise<unknown>) {
  /** Nothing while there are no unsaved changes: then a change by another browser is shown. */
  const [edited, setEdited] = useState<string>();
  const [status, setStatus] = useState('');
  const latest = useRef({ edited, store });
  latest.current = { edited, store };
  const saving = useRef<Promise<unknown>>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  /** Saves unsaved changes. Returns whether the server has the text now. */
  const save = async (): Promise<boolean> => {
    clearTimeout(timer.current);
    // An earlier text must not arrive after this one.
    await saving.current?.catch(() => {});
    const { edited, store } = latest.current;
    if (edited === undefined) return true;
    try {
      saving.current = store(edited);
      await saving.current;
    } catch {
      setStatus(failed);
      if (latest.current.edited === edited) timer.current = setTimeout(save, pauseAfterFailure);
      return false;
    }
    if (latest.current.edited === edited) {
      setEdited(undefined);
      setStatus('');
    }
    return true;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text is to be saved.
  useEffect(() => {
    if (edited === undefined) return;
    setStatus((before) => before || 'keeping the draft …');
    timer.current = setTimeout(save, pause);
    return () => clearTimeout(timer.current);
  }, [edited]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (latest.current.edited !== undefined) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      const { edited, store } = latest.current;
      if (edited !== undefined) void store(edited).catch(() => {});
    };
  }, []);

  return { text: edited ?? stored, setText: setEdited, status, save };
}
