import { type InputHTMLAttributes, useId } from 'react';
import styles from './field.module.css';

export type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'required'
  | 'disabled'
  | 'autoComplete'
  | 'inputMode'
  | 'maxLength'
  | 'defaultValue'
  | 'placeholder'
> & {
  name: string;
  label: string;
  /** A word beside the label, such as "optional". */
  note?: string | undefined;
  /** Which words of its island its label and its placeholder are. */
  labelWord?: string;
  word?: string;
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
  labelWord,
  word,
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
    'data-word': word,
    ...rest,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label} data-word={labelWord}>
        {label}
        {note && (
          <span className={styles.note}>
            {' '}
            (<span data-word="optional">{note}</span>)
          </span>
        )}
      </label>
      {rows ? <textarea rows={rows} {...(shared as object)} /> : <input type={type} {...shared} />}
    </div>
  );
}
