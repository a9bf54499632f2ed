import {
  findValue,
  type MessageId,
  memberOf,
  metaOf,
  type NotificationMessage,
  readId,
  spliceChanges,
} from '@portolan/mcp-protocol';

/**
 * Member of `_meta` by which parts of the proxy tell each other which request a log message belongs to. Clients do
 * not get it.
 */
const MARK = 'dev.portolan/request';
const PATH = ['params', '_meta', MARK];

/** Returns a log message that names its request, by the id under which the receiver sent it. */
export function markRequest({ text, params }: NotificationMessage, { text: id }: MessageId): string {
  if (params === undefined) return text;
  if (findValue(text, PATH.slice(0, 2)) !== undefined) return spliceChanges(text, [{ path: PATH, json: id }]);
  return spliceChanges(text, [{ path: PATH.slice(0, 2), json: `{"${MARK}":${id}}` }]);
}

/** Returns the id of the request that a log message names. */
export function markedRequest({ text, params }: NotificationMessage): MessageId | undefined {
  if (memberOf(metaOf(params), MARK) === undefined) return undefined;
  const span = findValue(text, PATH);
  return span === undefined ? undefined : readId(text.slice(span.start, span.end));
}

/** Returns a log message for the client. */
export function removeMark({ text, params }: NotificationMessage): string {
  const meta = metaOf(params);
  if (meta === undefined || !Object.hasOwn(meta, MARK)) return text;
  const path = Object.keys(meta).length === 1 ? PATH.slice(0, 2) : PATH;
  return spliceChanges(text, [{ path, json: undefined }]);
}
