/** The server's settings for the browser's code, in one tag of the page. */
export type ChatSettings = {
  project: string;
  script: string;
  runtime: string;
  /** With the page, or when the visitor asks for it. */
  load: 'load' | 'click';
};

type Settings = {
  chat?: ChatSettings;
  /** The server counts no visits. */
  uncounted?: true;
};

/** Without the tag there is nothing to tell. */
export const readSettings = (): Settings =>
  JSON.parse(document.querySelector<HTMLMetaElement>('[name=settings]')?.content ?? '{}');
