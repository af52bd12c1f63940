/**
 * The icons that components name: path data on a 24 x 24 grid, in one style.
 *
 * They are lines, never fills: stroke with `currentColor`, width 1.75, round caps and joins. A step of `.01` is a dot, drawn
 * by its round caps. Those that only content names are in `content/content-icons.ts`.
 */
export const iconPaths = {
  'arrow-right': 'M4.5 12h15M13.5 6l6 6-6 6',
  'arrow-left': 'M19.5 12h-15M10.5 6l-6 6 6 6',
  'arrow-up-right': 'M6.5 17.5l11-11M8.5 6.5h9v9',
  check: 'M4.5 12.5l5 5L19.5 7',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M3 8h18M10 16h11',
  plus: 'M12 5v14M5 12h14',
  pause: 'M9 5.5v13M15 5.5v13',
  play: 'M8 5.5v13l10.5-6.5z',
  mail: 'M6 5.5h12a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3zM4 7.5l6.2 4.9a2.9 2.9 0 0 0 3.6 0L20 7.5',
  phone:
    'M5.2 3.75h2.9a1.5 1.5 0 0 1 1.45 1.1l.75 2.9a1.5 1.5 0 0 1-.42 1.45L8.5 10.5a12.6 12.6 0 0 0 5 5l1.3-1.38a1.5 1.5 0 0 1 1.45-.42l2.9.75a1.5 1.5 0 0 1 1.1 1.45v2.9a1.75 1.75 0 0 1-1.85 1.7A15.4 15.4 0 0 1 3.5 5.6a1.75 1.75 0 0 1 1.7-1.85z',
  'map-pin':
    'M12 21.25c-.9-.75-7-6.1-7-11.4a7 7 0 0 1 14 0c0 5.3-6.1 10.65-7 11.4zM12 7.35a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
  clock: 'M12 3.25a8.75 8.75 0 1 1 0 17.5 8.75 8.75 0 0 1 0-17.5zM12 7.25V12l3.25 2',
  alert:
    'M10.3 4.7L3.3 17a1.95 1.95 0 0 0 1.7 2.9h14a1.95 1.95 0 0 0 1.7-2.9L13.7 4.7a1.95 1.95 0 0 0-3.4 0zM12 9.25v4.25M12 16.5h.01',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof iconPaths;
