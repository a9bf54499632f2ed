import type { ScopesRead } from '@portolan/plugin-api';

/** Parts of a source that a read reported. See `ScopesRead`. */
export interface ScopesSeen {
  readonly complete: ReadonlySet<string>;
  /** All existing parts. Undefined when the source did not report them. */
  readonly all: ReadonlySet<string> | undefined;
}

/** Collects the parts that the items of a read report. */
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

  /** Returns existing parts that this read did not cover completely. */
  get incomplete(): readonly string[] {
    return [...(this.#all ?? [])].filter((scope) => !this.complete.has(scope));
  }
}

/**
 * Returns whether versions from a part that the read did not report are gone. A null scope means that they
 * came from no part.
 */
export function isScopeOver({ complete, all }: ScopesSeen, scope: string | null): boolean {
  if (scope !== null && complete.has(scope)) return true;
  return all !== undefined && (scope === null || !all.has(scope));
}
