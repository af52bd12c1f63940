/** Makes the fonts in a thread of their own, beside the pictures: each takes a processor a second. */
import { parentPort } from 'node:worker_threads';
import { buildFonts } from './fonts.ts';

parentPort?.postMessage(await buildFonts());
