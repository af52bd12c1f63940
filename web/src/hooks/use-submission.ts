import { type RefObject, useEffect, useState } from 'react';
import type { Submission } from '../lib/send-form.ts';

/**
 * A form's state, and where the keyboard's focus goes with it. A success
 * message goes by itself where `successLasts` says so, an error stays until
 * the next submit.
 */
export function useSubmission(form: RefObject<HTMLFormElement | null>, successLasts?: number) {
  const [submission, setSubmission] = useState<Submission>({ state: 'idle' });
  useEffect(() => {
    const { state } = submission;
    if (state !== 'success' && state !== 'error') return;
    // While sending, the disabled button let go of the focus.
    const wrong = state === 'error' && submission.fields[0];
    const { elements } = form.current ?? {};
    const target = wrong ? elements?.namedItem(wrong) : form.current?.querySelector('button');
    if (target instanceof HTMLElement) target.focus({ preventScroll: state === 'success' });
    if (state === 'error' || !successLasts) return;
    const timer = setTimeout(() => setSubmission({ state: 'idle' }), successLasts);
    return () => clearTimeout(timer);
  }, [submission, form, successLasts]);
  return [submission, setSubmission] as const;
}
