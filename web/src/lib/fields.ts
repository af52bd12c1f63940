/** The fields of the contact form, in its order: what `contract/fields.json` says, with the owner's labels. */
import fields from 'content:fields';
import type { ContactField } from '../content/types.ts';

export type { ContactField };
export { fields };
export const fieldNames = Object.keys(fields) as ContactField[];
