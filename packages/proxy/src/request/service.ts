import type { PathParts } from './message-path.ts';
import type { RequestContext } from './request-state.ts';

/** What stands behind the proxy, ready to serve. */
export interface Service {
  /** What it puts into the message path; its step `serve` answers. */
  readonly steps: PathParts;
  /** Paths of the proxy that depend on the server. */
  readonly ownPaths?: readonly OwnPathRow[];
  readonly health: ServiceHealth;
  readonly stats: ServiceStats;
  /** Answers whoever waits, and ends what was opened. */
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
  /** Processes that run, the spare included; none of a server that speaks HTTP. */
  readonly processes: number;
  /** Requests that wait for the server. */
  readonly waiting: number;
}

/** A path of the proxy itself: none of them reaches a server. */
export interface OwnPathRow {
  /** Ends in `/*` for itself and everything below. */
  readonly path: string;
  /** Left out: any. */
  readonly methods?: readonly string[];
  readonly answer: (ctx: RequestContext) => void | Promise<void>;
}
