/** What the journeys need of a browser, whichever engine is in it. */

/** Input as the WebDriver standards describe it; both protocols take the same. */
export type Input =
  | { type: 'key'; id: string; actions: { type: 'keyDown' | 'keyUp'; value: string }[] }
  | {
      type: 'pointer';
      id: string;
      parameters: { pointerType: 'mouse' };
      actions: (
        | { type: 'pointerMove'; x: number; y: number }
        | { type: 'pointerDown' | 'pointerUp'; button: number }
      )[];
    };

export type Tab = {
  /** Starts to load an address and does not wait for it. */
  navigate: (url: string) => Promise<void>;
  /** Runs the body of a function in the page; it returns a text. */
  run: (body: string) => Promise<string>;
  perform: (inputs: Input[]) => Promise<void>;
  resize: (width: number, height: number) => Promise<void>;
  close: () => Promise<void>;
};

export type Engine = {
  /** A tab that shares no storage with any other. */
  open: () => Promise<Tab>;
  close: () => Promise<void>;
};

/** A browser that does not answer within this time is broken, even on a busy machine. */
export const answerLimit = 60_000;
