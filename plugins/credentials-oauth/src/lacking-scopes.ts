import type { Logger } from '@portolan/plugin-api';

type StepUp = (scopes: readonly string[]) => Promise<void>;

/** Maximum number of prompts for the same scopes. */
const MAX_TIMES = 2;

/**
 * Prompts the user for missing scopes, once for all waiting requests, and not again for scopes that the user
 * refused.
 */
export class LackingScopes {
  readonly #report: (scopes: readonly string[]) => void;
  readonly #stepUp: StepUp | undefined;
  readonly #logger: Logger;
  readonly #scopes = new Set<string>();
  readonly #times = new Map<string, number>();
  #asking: Promise<boolean> | undefined;

  constructor(told: (scopes: readonly string[]) => void, stepUp: StepUp | undefined, logger: Logger) {
    this.#report = told;
    this.#stepUp = stepUp;
    this.#logger = logger;
  }

  /** Returns whether the user may now have granted the scopes. Never rejects. */
  async ask(scopes: readonly string[]): Promise<boolean> {
    const added = scopes.filter((scope) => !this.#scopes.has(scope));
    for (const scope of added) this.#scopes.add(scope);
    if (added.length > 0) this.#report([...this.#scopes]);
    if (scopes.length === 0 || this.#stepUp === undefined) return false;
    this.#asking ??= this.#askOnce(scopes, this.#stepUp).finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  forget(): void {
    if (this.#scopes.size === 0) return;
    this.#scopes.clear();
    this.#report([]);
  }

  async #askOnce(scopes: readonly string[], stepUp: StepUp): Promise<boolean> {
    const key = scopes.toSorted().join(' ');
    const times = this.#times.get(key) ?? 0;
    if (times >= MAX_TIMES) return false;
    this.#times.set(key, times + 1);
    try {
      await stepUp([...this.#scopes]);
      return true;
    } catch (error) {
      this.#times.set(key, MAX_TIMES);
      this.#logger.warn({ err: error }, 'the login does not cover the scopes that a request needs');
      return false;
    }
  }
}
