import type { AccessQuestion, ExplainedKey } from './access-explanation.ts';
import type { KeyMatch } from './match-claims.ts';

/** What a caller does not hold themselves is not told to them. */
export function explainKey(
  { key, required, held, matches }: KeyMatch,
  reveal: AccessQuestion['reveal'],
): ExplainedKey {
  if (reveal === 'everything') return { key, required, held: held ?? null, matches };
  const own = required.filter((value) => held?.includes(value) === true);
  return { key, required: matches ? own : null, held: held ?? null, matches };
}
