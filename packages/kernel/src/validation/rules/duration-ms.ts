import { parseDuration } from '@portolan/plugin-api';

/** Converts a duration to milliseconds; undefined for invalid text. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined; // invalid; the schema reports it
  }
}
