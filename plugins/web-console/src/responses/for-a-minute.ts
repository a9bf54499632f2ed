import type { ConsoleParts } from '../layout/view.ts';

interface PartsWithClock {
  readonly context: Pick<ConsoleParts['context'], 'nowMs'>;
}

const REMEMBERED_MS = 60_000;

/** Cache for rarely changing facts about the server. It avoids an access log line for each look-up. */
export class ForAMinute<Value> {
  readonly #known = new WeakMap<PartsWithClock, { readonly until: number; readonly value: Value }>();

  /** Returns the cached value, else the result of `ask`. Does not cache undefined. */
  async find(parts: PartsWithClock, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const now = parts.context.nowMs();
    const known = this.#known.get(parts);
    if (known !== undefined && known.until > now) return known.value;
    const value = await ask();
    if (value !== undefined) this.#known.set(parts, { until: now + REMEMBERED_MS, value });
    return value;
  }
}
