/** A text that the server keeps while it is written; what it has not taken yet is never dropped in silence. */
import { useEffect, useRef, useState } from 'react';

const pause = 700;
const pauseAfterFailure = 3000;

export interface KeptDraft {
  text: string;
  setText: (text: string) => void;
  /** In words, for beside the text. */
  says: string;
}

/** `stored` is what the server has; `keep` answers once it has the new text. */
export function useKeptDraft(stored: string, keep: (text: string) => Promise<unknown>): KeptDraft {
  const [text, setText] = useState(stored);
  const [state, setState] = useState<'untouched' | 'changed' | 'kept' | 'failed'>('untouched');
  const has = useRef(stored);
  const latest = useRef({ text, keep });
  latest.current = { text, keep };

  // Another browser wrote, or the reply left: taken over where nothing is changed here.
  useEffect(() => {
    if (latest.current.text !== has.current) return;
    has.current = stored;
    setText(stored);
  }, [stored]);

  useEffect(() => {
    if (text === has.current) return;
    setState((before) => (before === 'failed' ? before : 'changed'));
    const send = () =>
      latest.current.keep(text).then(
        () => {
          has.current = text;
          if (latest.current.text === text) setState('kept');
        },
        () => {
          setState('failed');
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

  const says = {
    untouched: '',
    changed: 'keeping the draft …',
    kept: 'draft kept',
    failed: 'not kept yet: the server does not answer',
  }[state];
  return { text, setText, says };
}

/** A value once it has stood still for a moment. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
