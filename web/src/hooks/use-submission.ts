import { useEffect, useState } from 'react';

/** Where a form stands. `fields` are the ones to mend. */
export type Submission =
  | { state: 'idle' }
  | { state: 'submitting' }
  | { state: 'success'; message: string }
  | { state: 'error'; message: string; fields: string[] };

const successLasts = 5_000;

/** A form's state; a success message goes by itself, an error stays until the next submit. */
export function useSubmission() {
  const [submission, setSubmission] = useState<Submission>({ state: 'idle' });
  useEffect(() => {
    if (submission.state !== 'success') return;
    const timer = setTimeout(() => setSubmission({ state: 'idle' }), successLasts);
    return () => clearTimeout(timer);
  }, [submission]);
  return [submission, setSubmission] as const;
}
