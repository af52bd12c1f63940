/** Keeps what is typed into a form with `data-draft` in this tab, so that an accidental reload loses nothing. */
import { restoreDraft, saveDraft } from '../lib/draft.ts';

export function drafts(main: HTMLElement, left: AbortSignal) {
  for (const form of main.querySelectorAll<HTMLFormElement>('form[data-draft]')) {
    restoreDraft(form);
    form.addEventListener('input', () => saveDraft(form), { signal: left });
  }
}
