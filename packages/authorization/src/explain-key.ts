import type { AccessQuestion, ExplainedKey } from './access-explanation.ts';
import type { KeyMatch } from './match-claims.ts';

/**
 * Explains the comparison of one claim. Callers who ask about themselves do not see required values that they
 * do not hold.
 */
export function explainKey(
  { key, required, held, matches }: KeyMatch,
  reveal: AccessQuestion['reveal'],
): ExplainedKey {
  if (reveal === 'everything') return { key, required, held: held ?? null, matches };
  const own = required.filter((value) => held?.includes(value) === true);
  return { key, required: matches ? own : null, held: held ?? null, matches };
}
