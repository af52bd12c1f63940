/** What is wrong with the content, and where. */
export type Mistake = { file: string; field: string; message: string };

const printMistake = ({ file, field, message }: Mistake) => `${file}: ${field}: ${message}`;

/** On standard error, where they stand out from what the build says of itself. */
export function warn(warnings: Mistake[]) {
  for (const warning of warnings) console.warn(`Warning: ${printMistake(warning)}`);
}

export class ContentError extends Error {
  readonly mistakes: Mistake[];

  constructor(mistakes: Mistake[]) {
    super(mistakes.map(printMistake).join('\n'));
    this.name = 'ContentError';
    this.mistakes = mistakes;
  }
}
