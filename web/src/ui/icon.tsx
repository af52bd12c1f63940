import { type IconName, iconPaths } from './icon-paths.ts';

/** By name, or by the path that content has. */
type IconProps = { size?: number } & ({ name: IconName } | { path: string });

/** Decoration only: the words beside it carry the meaning. */
export function Icon({ size = 20, ...icon }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={'path' in icon ? icon.path : iconPaths[icon.name]} />
    </svg>
  );
}
