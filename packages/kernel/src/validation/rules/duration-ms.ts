import { parseDuration } from '@portolan/plugin-api';

/** Milliseconds; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined; // no duration: the schema has said so
  }
}
