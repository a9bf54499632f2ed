import {
  META,
  memberOf,
  metaOf,
  type NotificationMessage,
  type RequestMessage,
} from '@portolan/mcp-protocol';

/** Log levels of the protocol, least severe first, as in syslog (RFC 5424). */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Returns the minimum level of the log messages that a request wants. Undefined when it wants none. */
export function wantedLevel({ params }: RequestMessage): number | undefined {
  return levelOf(memberOf(metaOf(params), META.logLevel));
}

/** Returns the level of a log message. An unknown level counts as more severe than all others. */
export function levelOfLog({ params }: NotificationMessage): number {
  return levelOf(memberOf(params, 'level')) ?? LEVELS.length;
}

function levelOf(name: unknown): number | undefined {
  const at = typeof name === 'string' ? LEVELS.indexOf(name) : -1;
  return at < 0 ? undefined : at;
}
