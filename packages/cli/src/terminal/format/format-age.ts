const UNITS = [
  { text: 'd', seconds: 86_400, from: 2 },
  { text: 'h', seconds: 3600, from: 1 },
  { text: 'min', seconds: 60, from: 1 },
] as const;

/** Formats the age of a time: `5 min ago`. Returns an empty text for an invalid time. */
export function formatAge(time: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return '';
  // A time slightly in the future is possible, because the clocks of two machines may differ.
  if (seconds < 1) return 'now';
  const unit = UNITS.find((one) => seconds >= one.from * one.seconds);
  if (unit === undefined) return `${seconds} s ago`;
  return `${Math.floor(seconds / unit.seconds)} ${unit.text} ago`;
}
