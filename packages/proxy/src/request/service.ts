import type { PathParts } from './message-path.ts';
import type { RequestContext } from './request-state.ts';

export interface Service {
  /** Functions in the message path; the step `serve` sends the response. */
  readonly steps: PathParts;
  readonly servedPaths?: readonly ServedPathRow[];
  readonly health: ServiceHealth;
  readonly stats: ServiceStats;
  /** Notifies the clients that all lists may have changed. */
  announceListChanges(): void;
  close(): Promise<void>;
}

export interface ServiceHealth {
  readonly state: 'healthy' | 'degraded' | 'unhealthy';
  readonly mcp?: {
    readonly available: boolean;
    readonly response_time_ms?: number;
    readonly last_checked: string;
    readonly error?: string;
  };
}

export interface ServiceStats {
  readonly sessions: number;
  /** Includes the spare. 0 for an HTTP server. */
  readonly processes: number;
  readonly waiting: number;
}

export interface ServedPathRow {
  /** Path, or a prefix that ends in `/*` and includes the path before it and all paths below. */
  readonly path: string;
  /** Default: all methods. */
  readonly methods?: readonly string[];
  readonly respond: (ctx: RequestContext) => void | Promise<void>;
}
