/** Returns a duration such as `2d 3h 4m`, or in seconds below a minute. */
export function formatUptime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}s`;
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
