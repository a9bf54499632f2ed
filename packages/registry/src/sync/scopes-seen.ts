import type { ScopesRead } from '@portolan/plugin-api';

/** Parts of a source that a read covered; see `ScopesRead`. */
export interface ScopesSeen {
  readonly complete: ReadonlySet<string>;
  /** All existing parts; undefined when the source does not report them. */
  readonly all: ReadonlySet<string> | undefined;
}

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

  /** Existing parts that this read did not cover completely. */
  get incomplete(): readonly string[] {
    return [...(this.#all ?? [])].filter((scope) => !this.complete.has(scope));
  }
}

/** Whether versions that the read did not report are gone. A null scope means no part. */
export function isScopeOver({ complete, all }: ScopesSeen, scope: string | null): boolean {
  if (scope !== null && complete.has(scope)) return true;
  return all !== undefined && (scope === null || !all.has(scope));
}
