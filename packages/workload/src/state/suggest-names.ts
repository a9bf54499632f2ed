import { nearest } from '@portolan/plugin-api';

const MAX_SUGGESTIONS = 3;
/** Minimum length of a common part; shorter parts occur in many names. */
const MIN_PART_LENGTH = 3;

/**
 * Returns the names that a mistyped or shortened name most likely means: the nearest one, and those that
 * contain it or are part of it.
 */
export function suggestNames(name: string, known: readonly string[]): readonly string[] {
  const typed = name.toLowerCase();
  const contained = known.filter((one) => {
    const other = one.toLowerCase();
    const [part, whole] = typed.length < other.length ? [typed, other] : [other, typed];
    return part.length >= MIN_PART_LENGTH && whole.includes(part);
  });
  const near = nearest(name, known);
  return [...new Set([...(near === undefined ? [] : [near]), ...contained])].slice(0, MAX_SUGGESTIONS);
}
