import type { Counts } from './counts.ts';
import type { PathParts } from './path/message-path.ts';
import type { Policy } from './policy/policy.ts';
import type { ProxyLimits } from './proxy-options.ts';
import type { Middleware } from './request-state.ts';
import type { OwnPathRow } from './steps/answer-own-paths.ts';

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

/** What every service is opened with, beside the options of the proxy. */
export interface ServiceParts {
  readonly limits: ProxyLimits;
  readonly counts: Counts;
  /** Undefined where nobody stands in a slot. */
  readonly policy: Policy | undefined;
}

export interface NamedStep {
  readonly name: string;
  readonly run: Middleware;
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
