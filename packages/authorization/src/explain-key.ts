import type { AccessQuestion, ExplainedKey } from './access-explanation.ts';
import type { KeyMatch } from './match-claims.ts';

/**
 * Explains one claim. Values that the caller does not hold are withheld from callers who ask about
 * themselves.
 */
export function explainKey(
  { key, required, held, matches }: KeyMatch,
  reveal: AccessQuestion['reveal'],
): ExplainedKey {
  if (reveal === 'everything') return { key, required, held: held ?? null, matches };
  const own = required.filter((value) => held?.includes(value) === true);
  return { key, required: matches ? own : null, held: held ?? null, matches };
}
