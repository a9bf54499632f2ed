import type { AsyncParallelHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import type { Caller, Identity, ResourceClaims, Role } from './claims.ts';
import type { ContainerExit, ContainerSpec } from './container.ts';
import type { Entry, EntryType, JsonObject } from './entry.ts';

/** A request to publish a version. */
export interface PublishRequest {
  readonly type: EntryType;
  readonly document: JsonObject;
  readonly claims: ResourceClaims | undefined;
  readonly source: string | undefined;
  /** Whether this is a dry run, which stores nothing. Taps cannot change this field. */
  readonly dryRun?: boolean;
}

/** Record of one request for the audit log. Contains no token and no claim values. */
export interface AccessRecord {
  readonly requestId: string;
  readonly at: Date;
  readonly method: string;
  /** Pattern of the matched route. Without a match, the requested path. */
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly allowed: boolean;
  /** `anonymous`, `claims`, `claims-missing`, `role-missing`, `identified`, `not-found`, `malformed`. */
  readonly because: string;
  /** Such as `server.list`. Undefined without a route. */
  readonly event: string | undefined;
  readonly target: AccessTarget;
  readonly subject: string | undefined;
  readonly user: string | undefined;
  readonly provider: string | undefined;
  readonly roles: readonly Role[];
  readonly registry: string | undefined;
  /**
   * Address and port of the sender, or only the address when a trusted proxy (`server.trustedProxies`)
   * reports it.
   */
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
  readonly userAgent: string | undefined;
  readonly durationMs: number;
  readonly responseBytes: number;
  /** The body, if it was read. It may contain anything that the client sent. */
  readonly requestBody: Uint8Array | undefined;
}

/** Target of a request, with percent escapes; only applicable fields. */
export interface AccessTarget {
  readonly resourceType?: 'server' | 'skill' | 'plugin' | 'source' | 'registry' | 'entry';
  readonly resourceName?: string;
  readonly registryName?: string;
  readonly namespace?: string;
  readonly entryType?: string;
  readonly version?: string;
}

export interface SyncRecord {
  readonly source: string;
  /**
   * Result of the sync. `held`: the registry kept the old data, because the source would have lost most of
   * its entries.
   */
  readonly outcome: 'changed' | 'unchanged' | 'failed' | 'held';
  readonly servers: number;
  readonly skills: number;
  readonly plugins: number;
  readonly skipped: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly durationMs: number;
  /** Reason of a failed or held sync. */
  readonly error: string | undefined;
}

/**
 * All hooks. A waterfall changes a value and fails closed: when a tap throws or returns an invalid value, the
 * request is refused with an error that names the plugin. Errors of parallel and sync taps are logged.
 */
export interface Hooks {
  /**
   * Changes the roles of an identity. The rules of the configuration are a tap too: later taps see the roles
   * that they grant and may remove them.
   */
  readonly resolveRoles: AsyncSeriesWaterfallHook<[roles: readonly Role[], identity: Identity]>;
  /**
   * Removes entries. Claims are matched before the first tap, so a plugin never sees an entry that the caller
   * may not see. `caller` is undefined in anonymous mode.
   */
  readonly filterEntries: AsyncSeriesWaterfallHook<
    [entries: readonly Entry[], caller: Caller | undefined, registry: string]
  >;
  /**
   * Changes a publish request, or refuses it by throwing an error with a code. The publish rules are a tap
   * too, which checks the result of earlier taps.
   */
  readonly beforePublish: AsyncSeriesWaterfallHook<[request: PublishRequest, caller: Caller | undefined]>;
  /**
   * Changes the spec of a container. A tap must not weaken isolation, which is checked after it. Hardening is a tap too: later taps
   * see the spec as it would start.
   */
  readonly containerStart: AsyncSeriesWaterfallHook<[spec: ContainerSpec]>;
  readonly containerExit: AsyncParallelHook<[exit: ContainerExit]>;
  readonly accessDecided: SyncHook<[record: AccessRecord]>;
  readonly syncCompleted: AsyncParallelHook<[record: SyncRecord]>;
}

/** A tap of the program itself. */
export interface BuiltInTap {
  /** Appears in errors, and other taps may reference it in `before`. */
  readonly plugin: string;
  /** Lower stages run first. Default of other taps: 0. */
  readonly stage: number;
}

/** The program's own taps. They cannot be replaced, and their names are reserved. */
export const BUILT_IN_TAPS = {
  /** Adds the roles that the rules in `auth.authz.roles` grant. */
  resolveRoles: { plugin: 'portolan:roles', stage: -1000 },
  /**
   * Checks what the request alone allows: claims and document. Changes of later taps are checked again before
   * storing.
   */
  beforePublish: { plugin: 'portolan:publish-rules', stage: 1000 },
  /**
   * Restricts privileges, capabilities and the root folder to the permission profile, and sets user and
   * limits. Later taps must not permit what was restricted.
   */
  containerStart: { plugin: 'portolan:hardening', stage: -1000 },
} as const satisfies Readonly<Partial<Record<keyof Hooks, BuiltInTap>>>;

/** Additional options of a tap on `filterEntries`. */
export interface FilterTapOptions {
  readonly name: string;
  readonly stage?: number;
  /**
   * Returns a key for everything besides the entries that the filter's result depends on. Requests with equal
   * keys may share a cached page. Without this function, the filter runs for every request.
   */
  readonly cacheKey?: (caller: Caller | undefined, registry: string) => string;
}

/** A hook as plugins see it: they can tap it, and only the kernel can call it. */
export type Tappable<H> = Pick<H, Extract<keyof H, 'name' | 'tap' | 'tapPromise'>>;

type FilterArguments = Parameters<Hooks['filterEntries']['promise']>;
export interface TappableFilter {
  tap(options: string | FilterTapOptions, filter: (...args: FilterArguments) => readonly Entry[]): void;
  tapPromise(
    options: string | FilterTapOptions,
    filter: (...args: FilterArguments) => Promise<readonly Entry[]>,
  ): void;
}

export type TappableHooks = {
  readonly [Name in Exclude<keyof Hooks, 'filterEntries'>]: Tappable<Hooks[Name]>;
} & { readonly filterEntries: TappableFilter };
