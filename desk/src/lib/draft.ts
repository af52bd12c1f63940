/** A text that is saved on the server while it is being written; unsaved changes are never dropped silently. */
import { useEffect, useRef, useState } from 'react';
import { asProblem } from '../api/queries.ts';

const pause = 700;
const pauseAfterFailure = 3000;
const failed = 'not saved yet: the server isn’t answering';
const changed = 'changed in another browser just now';

/**
 * `stored` is the server's version; `store` resolves once `text` is the new one. The server refuses it (409) if its
 * version is not `before`: then the text stays here and is no longer saved. `status` is for the owner.
 */
export function useDraft(
  stored: string,
  store: (text: string, before: string) => Promise<unknown>,
) {
  /** Nothing while there are no unsaved changes: then a change by another browser is shown. */
  const [edited, setEdited] = useState<string>();
  const [status, setStatus] = useState('');
  const latest = useRef({ edited, stored, store });
  latest.current = { edited, stored, store };
  /** The server's version when the changes began, then the last one that was saved. */
  const before = useRef(stored);
  if (edited === undefined) before.current = stored;
  /** A text that the server may have although its answer was lost. */
  const unanswered = useRef<string>(undefined);
  const isRefused = useRef(false);
  const saving = useRef<Promise<unknown>>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  /**
   * Saves unsaved changes. Returns whether the server has the text now, for which `isDraft` has it asked even if nothing
   * was changed here.
   */
  const save = async (isDraft = false): Promise<boolean> => {
    clearTimeout(timer.current);
    // An earlier text must not arrive after this one.
    await saving.current?.catch(() => {});
    const { edited, stored, store } = latest.current;
    if (edited === undefined && !isDraft) return true;
    if (isRefused.current) return false;
    const written = edited ?? stored;
    // Sent again first, because only then is it known what the server has.
    const text = unanswered.current ?? written;
    try {
      saving.current = store(text, before.current);
      await saving.current;
    } catch (error) {
      const { status, message } = asProblem(error);
      const isChanged = status === 409;
      // Without changes, the page shows the newer version soon.
      isRefused.current = isChanged && edited !== undefined;
      setStatus(isRefused.current ? message : isChanged ? changed : failed);
      if (isChanged || edited === undefined) return false;
      unanswered.current = text;
      if (latest.current.edited === edited)
        timer.current = setTimeout(() => save(), pauseAfterFailure);
      return false;
    }
    unanswered.current = undefined;
    before.current = text;
    if (text !== written) return save();
    if (latest.current.edited === edited) {
      setEdited(undefined);
      setStatus('');
    }
    return true;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text is to be saved.
  useEffect(() => {
    if (edited === undefined) return;
    setStatus((before) => before || 'saving the draft …');
    timer.current = setTimeout(() => save(), pause);
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
      if (edited === undefined || isRefused.current) return;
      void store(edited, before.current).catch(() => {});
    };
  }, []);

  return { text: edited ?? stored, setText: setEdited, status, save };
}
