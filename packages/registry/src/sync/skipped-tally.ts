import type { VersionAddress } from '../preparation/prepare-version.ts';
import type { SkippedVersion } from '../store/sync-status.ts';
import { isScopeOver, type ScopesSeen } from './scopes-seen.ts';
import type { Removal } from './remove-versions.ts';

/** A skipped entry with what tells whether a later read has looked at it again. */
export interface StoredSkip extends SkippedVersion {
  readonly address?: VersionAddress | undefined;
  readonly scope?: string | undefined;
}

/** What a source has left out: how many, and the first of them. */
export interface Skips {
  readonly count: number;
  readonly list: readonly StoredSkip[];
}

const NOTHING: Skips = { count: 0, list: [] };

/** So many are kept with their reasons, and are forgotten one by one when a read of changes looks at them again. */
export const MAX_SKIPPED_KEPT = 1000;

/**
 * Counts what is left out of a source. A read of changes begins with what was left
 * out before: beyond those that are kept, it is exact again with the next full read.
 */
export class SkippedTally {
  #before: readonly StoredSkip[];
  #fresh: StoredSkip[] = [];
  #uncounted: number;

  constructor(before: Skips = NOTHING) {
    this.#before = before.list;
    this.#uncounted = Math.max(0, before.count - before.list.length);
  }

  get skips(): Skips {
    const list = [...this.#before, ...this.#fresh];
    return { count: list.length + this.#uncounted, list: list.slice(0, MAX_SKIPPED_KEPT) };
  }

  add(skip: StoredSkip): void {
    if (this.#fresh.length < MAX_SKIPPED_KEPT) this.#fresh.push(skip);
    else this.#uncounted += 1;
  }

  /** This was looked at again: what was said of it until now counts no more. */
  forget(address: VersionAddress | undefined, label?: string): void {
    this.#keep((skip) => !isSame(skip.address, address));
    if (this.#before.length === 0) return;
    const twice = address === undefined ? undefined : `${address.name}@${address.version}`;
    this.#before = this.#before.filter(({ skipped }) => skipped !== label && skipped !== twice);
  }

  /** These versions are no more; all of the name where none is named. */
  forgetRemoved({ type, name, version }: Removal): void {
    this.#keep(
      ({ address }) =>
        address?.type !== type ||
        address.name !== name ||
        (version !== undefined && address.version !== version),
    );
  }

  /** These parts were read, or are no more: of what was known before, nothing of them counts. */
  forgetScopes(scopes: ScopesSeen): void {
    this.#before = this.#before.filter(({ scope }) => scope === undefined || !isScopeOver(scopes, scope));
  }

  #keep(stays: (skip: StoredSkip) => boolean): void {
    if (this.#before.length > 0) this.#before = this.#before.filter(stays);
    if (this.#fresh.length > 0) this.#fresh = this.#fresh.filter(stays);
  }
}

function isSame(a: VersionAddress | undefined, b: VersionAddress | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.type === b.type && a.name === b.name && a.version === b.version;
}
