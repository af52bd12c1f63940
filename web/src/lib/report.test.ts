import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { messageOf } from './report.ts';

const sent: { island: string; message: string }[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.resetModules();
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    return new Response();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it.each([
  [
    'its name and its words',
    new TypeError('x is not a function'),
    'TypeError: x is not a function',
  ],
  ['no address', new Error('to ada@example.org, now'), 'Error: to [address] now'],
  ['no phone number', new Error('call +1 (416) 555-0100!'), 'Error: call [number]!'],
  ['small numbers', new Error('422 at 10:24'), 'Error: 422 at 10:24'],
  ['one line', new Error('a\n\tb'), 'Error: a b'],
  ['what is no error', 'just words', 'just words'],
])('says of an error %s', (_, error, message) => {
  expect(messageOf(error)).toBe(message);
});

it('says at most 200 characters', () => {
  expect(messageOf(new Error('x'.repeat(500)))).toHaveLength(200);
});

it('tells of the first five and of no more', async () => {
  const { report } = await import('./report.ts');
  for (let count = 1; count <= 7; count += 1) report('contact-form', new Error(`no. ${count}`));
  expect(sent).toHaveLength(5);
  expect(sent[0]).toEqual({ island: 'contact-form', message: 'Error: no. 1' });
});

it('a server that is out of reach is no second error', async () => {
  const unheard: unknown[] = [];
  const onUnheard = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', onUnheard);
  onTestFinished(() => void process.off('unhandledRejection', onUnheard));
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  const { report } = await import('./report.ts');
  report('chat-button', new Error('once'));
  await new Promise((turn) => setTimeout(turn));
  expect(unheard).toEqual([]);
});
