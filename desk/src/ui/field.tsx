import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  useState,
} from 'react';
import { Keys } from './button.tsx';
import styles from './field.module.css';
import { Icon, type IconName } from './icon.tsx';
import prose from './prose.module.css';

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className'> {
  label: string;
  /** Only screen readers get the label, because icon and placeholder say the same. */
  quietLabel?: boolean;
  icon?: IconName;
  after?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}

export const Field = ({ label, quietLabel, icon, after, ...input }: FieldProps) => (
  <label className={styles.label}>
    <span className={quietLabel ? prose.hidden : undefined}>{label}</span>
    <span className={styles.field}>
      {icon && <Icon name={icon} />}
      <input {...input} />
      {after}
    </span>
  </label>
);

interface InsertMenuProps
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'onChange'> {
  label: string;
  options: string[];
  onInsert: (index: number) => void;
}

/** A select that works as a menu: it shows its label, inserts what is chosen, and selects nothing. */
export const InsertMenu = ({ label, options, onInsert, ...select }: InsertMenuProps) => (
  <span className={styles.insertMenu}>
    <select
      {...select}
      aria-label={label}
      value=""
      onChange={(event) => onInsert(Number(event.target.value))}
    >
      <option value="" hidden>
        {label}
      </option>
      {options.map((option, index) => (
        <option key={option} value={index}>
          {option}
        </option>
      ))}
    </select>
    <Icon name="down" />
  </span>
);

interface CheckboxProps {
  children: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

export const Checkbox = ({ children, onChange, ...input }: CheckboxProps) => (
  <label className={styles.checkbox}>
    <input type="checkbox" {...input} onChange={(event) => onChange(event.target.checked)} />
    {children}
  </label>
);

interface SearchProps {
  q: string;
  search: (q: string) => void;
  placeholder: string;
  /** Enter and the down arrow call it. */
  toResults?: () => void;
  ref: Ref<HTMLInputElement>;
}

/** Searches while the owner types. */
export function SearchField({ q, search, placeholder, toResults, ref }: SearchProps) {
  const [typed, setTyped] = useState(q);
  return (
    <div className={styles.search}>
      <Field
        ref={ref}
        label="Search"
        quietLabel
        icon="search"
        type="search"
        placeholder={placeholder}
        aria-keyshortcuts="/"
        autoComplete="off"
        // The typed text keeps its spaces, unless the search was changed elsewhere.
        value={typed.trim() === q ? typed : q}
        onChange={({ target }) => {
          setTyped(target.value);
          search(target.value.trim());
        }}
        onKeyDown={(event) => {
          if (!toResults || (event.key !== 'Enter' && event.key !== 'ArrowDown')) return;
          event.preventDefault();
          toResults();
        }}
        after={<Keys keys="/" />}
      />
    </div>
  );
}
