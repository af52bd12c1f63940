import { type InputHTMLAttributes, useId } from 'react';
import styles from './field.module.css';

export type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'required' | 'disabled' | 'autoComplete' | 'inputMode' | 'maxLength' | 'defaultValue'
> & {
  placeholder?: string | undefined;
  name: string;
  label: string;
  /** A word beside the label, such as "optional". */
  note?: string | undefined;
  /** With rows it is a text area. */
  rows?: number;
  /** Whether it is wrong, and the element that says why. */
  invalid?: boolean;
  errorId?: string | undefined;
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
