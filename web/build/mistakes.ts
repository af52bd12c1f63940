/** What is wrong with the content, and where. */
export type Mistake = { file: string; field: string; message: string };

export class ContentError extends Error {
  readonly mistakes: Mistake[];

  constructor(mistakes: Mistake[]) {
    super(mistakes.map((m) => `${m.file}: ${m.field}: ${m.message}`).join('\n'));
    this.name = 'ContentError';
    this.mistakes = mistakes;
  }
}
