import { parseDuration } from '@portolan/plugin-api';

/** Returns undefined for invalid text, which the schema reports. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
