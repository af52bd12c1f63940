import { z } from 'zod';

/** Words that somebody reads. */
export const text = z.string().trim().min(1, 'must not be empty');
