/** The response of `/health`. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** RFC 3339, without fractions of a second. */
  readonly timestamp: string;
  /** The transport of the server. */
  readonly transport: string;
  /** Unique to this proxy, so that another program on the same port is not mistaken for it. */
  readonly instance: string;
  /** Omitted while nothing is known of the server. */
  readonly mcp?: McpHealth;
}

export interface McpHealth {
  readonly available: boolean;
  readonly response_time_ms?: number;
  /** RFC 3339, without fractions of a second. */
  readonly last_checked: string;
  /** Why it is not available. */
  readonly error?: string;
}

/** Returns RFC 3339 in UTC, in seconds. */
export function writeTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
