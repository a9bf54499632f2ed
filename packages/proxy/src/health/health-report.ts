export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** Time by RFC 3339, without fractions of a second. */
  readonly timestamp: string;
  readonly transport: string;
  /** Unique to this proxy, to detect another program on the port. */
  readonly instance: string;
  /** Omitted while nothing is known of the server. */
  readonly mcp?: McpHealth;
}

export interface McpHealth {
  readonly available: boolean;
  readonly response_time_ms?: number;
  readonly last_checked: string;
  readonly error?: string;
}

export function writeTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
