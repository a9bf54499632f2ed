/** Response body of `/health`. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** RFC 3339, without fractions of a second. */
  readonly timestamp: string;
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
  readonly error?: string;
}

/** Returns a time in RFC 3339 format, in UTC and without fractions of a second. */
export function writeTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
