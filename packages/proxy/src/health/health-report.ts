/** What `/health` answers. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** RFC 3339, without fractions of a second. */
  readonly timestamp: string;
  /** How the server behind is spoken to. */
  readonly transport: string;
  /** Of this proxy alone, so that another program on the same port is not taken for it. */
  readonly instance: string;
  /** Left out as long as nothing is known of the server. */
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

/** RFC 3339 in UTC, to the second. */
export function writeTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
