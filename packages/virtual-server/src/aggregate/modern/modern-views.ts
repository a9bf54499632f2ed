import { viewKeyOf } from '../../lists/list-cache.ts';

/** Views of the lists of members for one request. Most requests need none, so they are computed on first use. */
export class ModernViews {
  readonly #capabilities: unknown;
  readonly #owner: string;
  #shared: string | undefined;
  #perCaller: string | undefined;

  constructor(capabilities: unknown, owner: string | undefined) {
    this.#capabilities = capabilities ?? {};
    this.#owner = owner ?? '';
  }

  /** View of members at which all callers have the same credentials. */
  get shared(): string {
    this.#shared ??= viewKeyOf(['modern', '', this.#capabilities]);
    return this.#shared;
  }

  get perCaller(): string {
    this.#perCaller ??= viewKeyOf(['modern', this.#owner, this.#capabilities]);
    return this.#perCaller;
  }
}
