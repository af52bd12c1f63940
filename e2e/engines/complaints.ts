/** What the scripts of a page complain about, noted in the tab's own storage over all pages it shows. */

/** Runs in the page, before all scripts of its own. */
export function noteComplaints() {
  const note = (what: string) => {
    const seen = JSON.parse(sessionStorage.getItem('complaints') ?? '[]');
    sessionStorage.setItem(
      'complaints',
      JSON.stringify([...seen, `${location.pathname}: ${what}`]),
    );
  };
  addEventListener('error', ({ message }) => note(message));
  addEventListener('unhandledrejection', ({ reason }) => {
    // Whoever goes on breaks off what was on its way; what cannot be had, `TestProxy` tells.
    if (!/module script failed|imported module/.test(reason)) note(`unhandled: ${reason}`);
  });
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    note(`${violatedDirective} forbids ${blockedURI}`),
  );
  const tell = console.error;
  console.error = (...words) => {
    note(words.join(' '));
    tell(...words);
  };
}

/** Runs in the page. */
export const notedComplaints = (): string[] =>
  JSON.parse(sessionStorage.getItem('complaints') ?? '[]');
