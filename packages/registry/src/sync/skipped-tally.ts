import type { VersionAddress } from '../preparation/prepare-version.ts';
import type { SkippedVersion } from '../store/sync-status.ts';
import { isScopeOver, type ScopesSeen } from './scopes-seen.ts';
import type { Removal } from './write/remove-versions.ts';

/** A skip with the data that decides whether a later read of changes removes it. */
export interface StoredSkip extends SkippedVersion {
  readonly address?: VersionAddress | undefined;
  /** Entry that would have been stored, if the document or the source identifies it. */
  readonly entry?: Pick<VersionAddress, 'type' | 'name'> | undefined;
  readonly scope?: string | undefined;
}

export interface Skips {
  readonly count: number;
  readonly list: readonly StoredSkip[];
}

const NOTHING: Skips = { count: 0, list: [] };

/** Maximum number of skips that are stored with reasons. */
export const MAX_SKIPPED_KEPT = 1000;

/**
 * Counts and lists skipped versions. A read of changes starts with the earlier skips. Above the maximum
 * number, the count is exact again only after the next full read.
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

  forget(address: VersionAddress | undefined, label?: string): void {
    this.#keep((skip) => !isSame(skip.address, address));
    if (this.#before.length === 0) return;
    const twice = address === undefined ? undefined : `${address.name}@${address.version}`;
    this.#before = this.#before.filter(({ skipped }) => skipped !== label && skipped !== twice);
  }

  /** Removes skips of removed versions, or of all versions of a name. */
  forgetRemoved({ type, name, version }: Removal): void {
    this.#keep(
      ({ address }) =>
        address?.type !== type ||
        address.name !== name ||
        (version !== undefined && address.version !== version),
    );
  }

  /** Removes skips in parts of the source that were read again or no longer exist. */
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
