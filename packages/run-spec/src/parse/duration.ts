import { parseDuration } from '@portolan/plugin-api';

/** Returns whether a text is a duration that is not negative, such as `45m0s`. */
export function isDuration(text: string): boolean {
  try {
    return parseDuration(text) >= 0;
  } catch {
    // Any error means that the text is not a duration.
    return false;
  }
}
