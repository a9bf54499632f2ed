import type { Middleware } from './request-state.ts';

/** What stands behind the proxy, ready to serve. */
export interface Service {
  /** Steps after those that every request passes, in order; the last one answers. */
  readonly steps: readonly NamedStep[];
  readonly health: ServiceHealth;
  readonly stats: ServiceStats;
  /** Answers whoever waits, and ends what was opened. */
  close(): Promise<void>;
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
