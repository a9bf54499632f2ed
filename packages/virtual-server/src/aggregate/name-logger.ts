import { memberOf, type NotificationMessage, spliceChanges } from '@portolan/mcp-protocol';
import type { Member } from '../members/member.ts';

/** Returns a log message whose logger names the member. */
export function withLogger({ name }: Member, { text, params }: NotificationMessage): string {
  if (params === undefined) return text;
  const logger = memberOf(params, 'logger');
  const label = typeof logger === 'string' ? `${name}.${logger}` : name;
  return spliceChanges(text, [{ path: ['params', 'logger'], json: JSON.stringify(label) }]);
}
