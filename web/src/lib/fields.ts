/** The fields of the contact form, in its order: `contract/fields.json` is their one owner. */
import contract from '../../../contract/fields.json';

export type ContactField = keyof typeof contract;

type FieldFacts = {
  label: string;
  /** What it is called in a sentence, where that differs. */
  sentence?: string;
  /** The most characters. */
  limit: number;
  required: boolean;
};

export const fields: Record<ContactField, FieldFacts> = contract;
export const fieldNames = Object.keys(fields) as ContactField[];
