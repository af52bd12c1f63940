const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** "November 5, 2026". Not by `Intl`, whose first date takes a phone 70 ms. */
export function longDate(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${months[Number(month) - 1]} ${date}, ${year}`;
}
