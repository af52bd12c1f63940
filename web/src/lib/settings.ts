/** The server's settings for the browser's code, in one tag of the page. */
export type ChatSettings = {
  project: string;
  script: string;
  runtime: string;
  /** Whether it loads with the page, or when the visitor presses the button. */
  load: 'load' | 'click';
};

type Settings = {
  chat?: ChatSettings;
  /** The server counts no visits. */
  uncounted?: true;
};

/** The server leaves the tag out if every setting has its default. */
export const readSettings = (): Settings =>
  JSON.parse(document.querySelector<HTMLMetaElement>('[name=settings]')?.content ?? '{}');
