import { Icon, type IconName } from './icon.tsx';
import prose from './prose.module.css';
import styles from './segmented.module.css';

interface Props<T extends string> {
  label: string;
  value: T;
  options: { value: T; label: string; icon?: IconName; iconOnly?: boolean }[];
  onChange: (value: T) => void;
}

/** A choice between few views of the same thing. */
export const Segmented = <T extends string>({ label, value, options, onChange }: Props<T>) => (
  <fieldset className={styles.group}>
    <legend className={prose.hidden}>{label}</legend>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.icon && <Icon name={option.icon} />}
        <span className={option.iconOnly ? prose.hidden : undefined}>{option.label}</span>
      </button>
    ))}
  </fieldset>
);
