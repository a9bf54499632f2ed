import { setTimeout as pass } from 'node:timers/promises';
import { statusOf, wordsOf } from '../engine/engine-fault.ts';

const VANISHING_TRIES = 8;
const VANISHING_MS = 25;

/**
 * Retries a listing or inspection of images. On Podman, these calls fail when any image is removed during the
 * call.
 */
export async function unlessVanishing<Answer>(
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isVanishing = statusOf(error) === 500 && /image not known/i.test(wordsOf(error));
      if (!isVanishing || tries === VANISHING_TRIES) throw error;
    }
    await pass(VANISHING_MS * tries, undefined, { signal });
  }
}
