import { viewKeyOf } from '../../lists/list-cache.ts';

/** Views of the lists of members for one request. Most requests need none, so they are computed on first use. */
export class ModernViews {
  readonly #capabilities: unknown;
  readonly #views = new Map<string, string>();

  constructor(capabilities: unknown) {
    this.#capabilities = capabilities ?? {};
  }

  /** View of members that list the same for all callers. */
  get shared(): string {
    return this.of('');
  }

  /** Returns the view of one viewer, as `Member.viewerOf` names it. */
  of(viewer: string): string {
    const view = this.#views.get(viewer) ?? viewKeyOf(['modern', viewer, this.#capabilities]);
    this.#views.set(viewer, view);
    return view;
  }
}
