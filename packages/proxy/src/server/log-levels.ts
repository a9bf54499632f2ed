import {
  memberOf,
  META,
  metaOf,
  type NotificationMessage,
  type RequestMessage,
} from '@portolan/mcp-protocol';

/** Least severe first, as in syslog (RFC 5424). */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function isLogLevel(name: unknown): name is string {
  return typeof name === 'string' && LEVELS.includes(name);
}

/** Returns undefined when the request wants no log messages. */
export function wantedLevel({ params }: RequestMessage): number | undefined {
  return levelOf(memberOf(metaOf(params), META.logLevel));
}

/** Returns the severity of a log message. An unknown level counts as the most severe. */
export function levelOfLog({ params }: NotificationMessage): number {
  return levelOf(memberOf(params, 'level')) ?? LEVELS.length;
}

export function levelOf(name: unknown): number | undefined {
  const at = typeof name === 'string' ? LEVELS.indexOf(name) : -1;
  return at < 0 ? undefined : at;
}
