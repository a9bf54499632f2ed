/** Formats a Go duration: `45m0s`, `1h0m0s`, `1.5s`, `250ms`, `0s`. Truncates below a nanosecond. */
export function formatDuration(durationMs: number): string {
  const sign = durationMs < 0 ? '-' : '';
  const ns = BigInt(Math.trunc(Math.abs(durationMs) * 1e6));
  if (ns === 0n) return '0s';
  return sign + (ns < SECOND ? formatSmall(ns) : formatLarge(ns));
}

/** Formats milliseconds for people: `45m`, `2h`, `1h30m`. */
export function showDuration(durationMs: number): string {
  return formatDuration(durationMs)
    .replace(/(?<=m)0s$/, '')
    .replace(/(?<=h)0m$/, '');
}

const SECOND = 1_000_000_000n;

function formatSmall(ns: bigint): string {
  if (ns < 1000n) return `${ns}ns`;
  if (ns < 1_000_000n) return `${decimal(ns, 1000n)}µs`;
  return `${decimal(ns, 1_000_000n)}ms`;
}

function formatLarge(ns: bigint): string {
  const minutes = ns / (60n * SECOND);
  const seconds = `${decimal(ns % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(amount: bigint, unit: bigint): string {
  const rest = amount % unit;
  if (rest === 0n) return String(amount / unit);
  const digits = String(rest).padStart(String(unit).length - 1, '0');
  return `${amount / unit}.${digits.replace(/0+$/, '')}`;
}
