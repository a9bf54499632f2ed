import {
  META,
  memberOf,
  metaOf,
  type NotificationMessage,
  type RequestMessage,
} from '@portolan/mcp-protocol';

/** Least grave first, as in syslog. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** From which level on a request wants log messages; undefined when it wants none. */
export function wantedLevel({ params }: RequestMessage): number | undefined {
  return levelOf(memberOf(metaOf(params), META.logLevel));
}

/** How grave a log message is; of an unknown level, as grave as can be. */
export function levelOfLog({ params }: NotificationMessage): number {
  return levelOf(memberOf(params, 'level')) ?? LEVELS.length;
}

function levelOf(name: unknown): number | undefined {
  const at = typeof name === 'string' ? LEVELS.indexOf(name) : -1;
  return at < 0 ? undefined : at;
}
