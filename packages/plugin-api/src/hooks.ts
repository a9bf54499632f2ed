import type { AsyncParallelHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import type { Caller, Identity, ResourceClaims, Role } from './claims.ts';
import type { ContainerExit, ContainerSpec } from './container.ts';
import type { Entry, EntryType, JsonObject } from './entry.ts';

/** What somebody asks to publish. */
export interface PublishRequest {
  readonly type: EntryType;
  readonly document: JsonObject;
  readonly claims: ResourceClaims | undefined;
  readonly source: string | undefined;
  /**
   * There, and true, when the publish is only tried: everything is judged, nothing
   * is kept. What a tap answers here changes nothing.
   */
  readonly dryRun?: boolean;
}

/** What was decided about one request, for audit. Holds no token and no claim value. */
export interface AccessRecord {
  readonly requestId: string;
  readonly at: Date;
  readonly method: string;
  /** The route's pattern, or the path when no route matched. */
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly allowed: boolean;
  /** Why, in one word: `anonymous`, `claims`, `claims-missing`, `role-missing`, `identified`, `not-found`, `malformed`. */
  readonly because: string;
  /** What was asked for, such as `server.list` or `entry.publish`; undefined where nothing is behind the path. */
  readonly event: string | undefined;
  readonly target: AccessTarget;
  readonly subject: string | undefined;
  /** A name of the caller for people. */
  readonly user: string | undefined;
  /** Which of the configured providers has accepted the credential. */
  readonly provider: string | undefined;
  readonly roles: readonly Role[];
  readonly registry: string | undefined;
  /** Address and port of the sender; the address alone where a trusted proxy (`server.trustedProxies`) tells it. */
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
  readonly userAgent: string | undefined;
  readonly durationMs: number;
  readonly responseBytes: number;
  /** The body as it was read, where one was; it may hold anything the sender put into it. */
  readonly requestBody: Uint8Array | undefined;
}

/** What a request was about, percent escapes kept; only what applies. */
export interface AccessTarget {
  readonly resourceType?: 'server' | 'skill' | 'plugin' | 'source' | 'registry' | 'entry';
  readonly resourceName?: string;
  readonly registryName?: string;
  readonly namespace?: string;
  readonly entryType?: string;
  readonly version?: string;
}

/** How a sync of one source ended. */
export interface SyncRecord {
  readonly source: string;
  /** `held`: the source would have lost most of its entries and keeps what it had. */
  readonly outcome: 'changed' | 'unchanged' | 'failed' | 'held';
  readonly servers: number;
  readonly skills: number;
  readonly plugins: number;
  readonly skipped: number;
  /** Number of versions that are new. */
  readonly added: number;
  /** Number of versions that were stored anew. */
  readonly changed: number;
  /** Number of versions that are gone. */
  readonly removed: number;
  readonly durationMs: number;
  /** Why it failed or was held. */
  readonly error: string | undefined;
}

/**
 * Every hook. One that changes a value is a waterfall and fails closed: when a
 * tap throws, or answers with something it may not, the request is refused and
 * the plugin named. One that only tells is parallel or sync: when a tap throws,
 * that is logged.
 */
export interface Hooks {
  /**
   * Roles and identity in, roles out: a tap may add and remove. The rules of the
   * configuration are a tap themselves; one that comes after it sees what they
   * grant, and may take that away.
   */
  readonly resolveRoles: AsyncSeriesWaterfallHook<[roles: readonly Role[], identity: Identity]>;
  /**
   * A tap may only remove entries. It sees what claims have left: they are matched
   * in the database, before the first tap, so that nothing a caller may not see
   * ever reaches a plugin. `caller` is undefined in anonymous mode.
   */
  readonly filterEntries: AsyncSeriesWaterfallHook<
    [entries: readonly Entry[], caller: Caller | undefined, registry: string]
  >;
  /**
   * A tap may change what is published, and refuse it by throwing an error with a
   * code. The rules of publishing are a tap themselves, which judges what the taps
   * before it return; nothing is stored that they refuse.
   */
  readonly beforePublish: AsyncSeriesWaterfallHook<[request: PublishRequest, caller: Caller | undefined]>;
  /**
   * A tap may change the spec, but not weaken isolation; that is checked after it.
   * Hardening is a tap itself: one that comes after it sees the spec as it would be started.
   */
  readonly containerStart: AsyncSeriesWaterfallHook<[spec: ContainerSpec]>;
  readonly containerExit: AsyncParallelHook<[exit: ContainerExit]>;
  readonly accessDecided: SyncHook<[record: AccessRecord]>;
  readonly syncCompleted: AsyncParallelHook<[record: SyncRecord]>;
}

/** A tap of what is built in. */
export interface BuiltInTap {
  /** Name of the built-in plugin: it stands in errors, and a tap may name it in `before`. */
  readonly plugin: string;
  /** Taps of lower stages come before it, those of higher ones after. Taps that name none have stage 0. */
  readonly stage: number;
}

/**
 * What the program does in its own hooks. These taps are there whatever is
 * configured, none can be replaced, and no plugin may have a name like theirs.
 */
export const BUILT_IN_TAPS = {
  /** Adds the roles that the rules of `auth.authz.roles` grant to those it is given. */
  resolveRoles: { plugin: 'portolan:roles', stage: -1000 },
  /**
   * Judges what the request alone tells: the claims, and the document with its
   * name and version. It changes nothing. What a tap after it changes is judged
   * again, as everything is before it is stored.
   */
  beforePublish: { plugin: 'portolan:publish-rules', stage: 1000 },
  /**
   * Closes what the permission profile does not open (privileges, capabilities,
   * the root folder), and sets user and limits. Each answer of a tap is checked:
   * it may not open what was closed before it, nor in the end what hardening closes.
   */
  containerStart: { plugin: 'portolan:hardening', stage: -1000 },
} as const satisfies Readonly<Partial<Record<keyof Hooks, BuiltInTap>>>;

/** Extra options of a tap on `filterEntries`. */
export interface FilterTapOptions {
  readonly name: string;
  readonly stage?: number;
  /**
   * Names everything the filter's answer depends on beside the entries
   * themselves, for one caller. Answers with equal keys may share a cached page.
   * A filter without it is asked again for every request.
   */
  readonly cacheKey?: (caller: Caller | undefined, registry: string) => string;
}

/** A hook as plugins see it: they may tap it, only the kernel may run it. */
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
