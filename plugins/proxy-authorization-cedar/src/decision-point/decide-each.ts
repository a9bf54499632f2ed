import type { Decision } from './decision-point.ts';

/** Maximum number of concurrent decisions for one list. */
const MAX_AT_ONCE = 8;

/**
 * Returns the decision for each item. Returns undefined as soon as one decision fails, because the others
 * would be wasted.
 */
export async function decideEach(
  names: readonly string[],
  decide: (name: string) => Promise<Decision>,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const decided = new Map<string, boolean>();
  const waiting = [...new Set(names)].values();
  let isWhole = true;
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      if (!isWhole) return;
      const decision = await decide(name);
      if (typeof decision === 'object') isWhole = false;
      else decided.set(name, decision === 'allowed');
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  return isWhole ? decided : undefined;
}
