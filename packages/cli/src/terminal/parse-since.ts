import { isPortolanError, parseDuration } from '@portolan/plugin-api';
import { badArgument } from './terminal-errors.ts';

const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses `--since`: an age (`10m`, `2h30m`), or a date or time in ISO 8601, by default in the local time
 * zone. Throws ERR_BAD_ARGUMENT.
 */
export function parseSince(text: string, now: Date): Date {
  const time = TIME.test(text)
    ? new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
    : agoOf(text, now);
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw badArgument(
      `--since: found ${JSON.stringify(text)}; expected a duration such as 10m, or a time such as 2026-11-22T14:30`,
    );
  }
  return time;
}

function agoOf(text: string, now: Date): Date | undefined {
  try {
    const ms = parseDuration(text);
    return ms < 0 ? undefined : new Date(now.getTime() - ms);
  } catch (error) {
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}
