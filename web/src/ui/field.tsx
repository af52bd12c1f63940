import { type InputHTMLAttributes, useId } from 'react';
import styles from './field.module.css';

/** Whether it is wrong, and the element that says why. */
export type FieldMark = { invalid?: boolean; errorId?: string | undefined };

type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'required'
  | 'disabled'
  | 'autoComplete'
  | 'inputMode'
  | 'maxLength'
  | 'defaultValue'
  | 'placeholder'
> &
  FieldMark & {
    name: string;
    label: string;
    /** A word beside the label, such as "optional". */
    note?: string;
    /** With rows it is a text area. */
    rows?: number;
  };

/** A label and its input, told to assistive technology as one. */
export function Field({
  label,
  note,
  invalid = false,
  errorId,
  rows,
  type = 'text',
  ...rest
}: FieldProps) {
  const id = useId();
  const shared = {
    id,
    className: styles.input,
    'aria-invalid': invalid || undefined,
    'aria-describedby': invalid ? errorId : undefined,
    ...rest,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {note && <span className={styles.note}> ({note})</span>}
      </label>
      {rows ? <textarea rows={rows} {...(shared as object)} /> : <input type={type} {...shared} />}
    </div>
  );
}
