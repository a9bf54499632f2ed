const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** Formats a Go duration: `30m0s`, `1h0m0s`, `1.5s`, `250ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? '0s' : `${ms}ms`;
  let rest = ms;
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || text !== '') text += `${count}${unit}`;
  }
  return `${text}${rest / 1000}s`;
}
