import type { ScopesRead } from '@portolan/plugin-api';

/** The parts that a read says it has read; see `ScopesRead`. */
export interface ScopesSeen {
  readonly complete: ReadonlySet<string>;
  /** All there are; undefined where the source did not say. */
  readonly all: ReadonlySet<string> | undefined;
}

/** Collects what a read says about parts, in however many items. */
export class ScopeCollector implements ScopesSeen {
  readonly complete = new Set<string>();
  #all: Set<string> | undefined;

  get all(): ReadonlySet<string> | undefined {
    return this.#all;
  }

  add({ completeScopes, allScopes }: ScopesRead): void {
    for (const scope of completeScopes) this.complete.add(scope);
    if (allScopes === undefined) return;
    this.#all ??= new Set();
    for (const scope of allScopes) this.#all.add(scope);
  }

  /** Parts there are, of which this read has no full picture. */
  get incomplete(): readonly string[] {
    return [...(this.#all ?? [])].filter((scope) => !this.complete.has(scope));
  }
}

/** Whether what a part held before, and was not seen, is gone. Null: it came from no part. */
export function isScopeOver({ complete, all }: ScopesSeen, scope: string | null): boolean {
  if (scope !== null && complete.has(scope)) return true;
  return all !== undefined && (scope === null || !all.has(scope));
}
