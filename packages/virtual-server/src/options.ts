import type { Logger, OpenConnection, ToolIndex } from '@portolan/plugin-api';
import type { ProxyLimits } from '@portolan/proxy';
import type { NameSettings } from '@portolan/run-spec';

/** A member, and how to reach it. */
export interface MemberSource {
  /** Name by the rules of workload names; it contains no slash. */
  readonly name: string;
  readonly settings: NameSettings;
  /** Opens a connection to the server of the member. The first message decides its protocol era. */
  readonly open: OpenConnection;
  /** Whether each caller has credentials of their own at the member, so that what it lists may differ. */
  readonly isPerCaller: boolean;
  /** Names of client headers that the member gets, so that what it lists may differ by their values. Default: none. */
  readonly passHeaders?: readonly string[];
  /**
   * Maximum number of sessions of clients with a handshake at the member. Each may be a process. Default: 16.
   */
  readonly maxSessions?: number;
  /** Maximum time of a call without progress, in milliseconds. Default: that of the virtual server. */
  readonly timeoutMs?: number;
  /** Returns why the member cannot be reached now, such as that its workload is stopped. */
  readonly unavailable?: () => string | undefined;
  /**
   * Returns why the server does not respond now, although it may be there. Calls fail at once, and its last lists
   * stay.
   */
  readonly silent?: () => string | undefined;
  /** Called when a request failed or a list is late, so that the health of the server is checked. */
  readonly suspect?: () => void;
  /**
   * Passes the outcome of each request to `listener`, for servers over HTTP, whose failures look like
   * responses. Returns a function that ends this. Without it, only the end of a connection and a timeout are
   * failures.
   */
  readonly onOutcome?: (listener: (outcome: MemberOutcome) => void) => () => void;
  /** Releases what `open` needs. Called when the member leaves, and when the virtual server closes. */
  readonly close?: () => Promise<void>;
}

/**
 * Outcome of a request to a member. `unauthenticated`: the member works, but rejects the credentials. A
 * response with an error is a response.
 */
export type MemberOutcome = 'responded' | 'unauthenticated' | 'failed';

export interface SearchSettings {
  readonly mode: 'off' | 'auto' | 'always';
  /** Size of a caller's list of tools in tokens above which `auto` turns the search on. */
  readonly aboveTokens: number;
  /** Exposed names that stay in the list while the search is on. */
  readonly always: readonly string[];
}

export interface VirtualServerOptions {
  /** Name that clients see. */
  readonly name: string;
  /** Members in the order of the file, which is the order of lists. */
  readonly members: readonly MemberSource[];
  readonly search: SearchSettings;
  /** Index of `find_tool`. Required unless the search is off. The caller closes it. */
  readonly toolIndex?: ToolIndex | undefined;
  readonly version: string;
  readonly limits: ProxyLimits;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}

/** State of a member, as `portolan status` shows it. */
export interface MemberStatus {
  readonly name: string;
  readonly state: 'unknown' | 'available' | 'unavailable' | 'unauthenticated' | 'failing';
  /** Newest protocol revision that the member speaks. Undefined while unknown. */
  readonly revision: string | undefined;
  /** Number of tools in the last known list. Undefined while unknown. */
  readonly tools: number | undefined;
  readonly lastError: string | undefined;
  /** Hidden names, second claimants of resources and other findings, one sentence each. */
  readonly findings: readonly string[];
}
