import { PortolanError } from './portolan-error.ts';

const UNIT_MS = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu;
const WHOLE = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u;

/**
 * Parses a Go duration to milliseconds: `90s`, `1h30m`, `1.5h`, `-5m`, `0`. Throws ERR_SETTING. Config fields
 * with `format: 'duration'` are already validated.
 */
export function parseDuration(text: string): number {
  if (!WHOLE.test(text)) throw notADuration(text);
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    // SAFETY: the pattern WHOLE has matched, so every unit is a key of the table.
    sum += Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  return text.startsWith('-') && sum !== 0 ? -sum : sum;
}

/** Creates the error for an invalid duration: the unit is missing or unknown to Go. */
function notADuration(text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `Found ${JSON.stringify(text)}; expected a duration.`, {
    hint: 'Write a number and a unit (ns, us, ms, s, m, h), for example 90s or 1h30m.',
  });
}
