import { findValue, type Message } from '@portolan/mcp-protocol';
import { type ClientMessage, isJsonObject } from '@portolan/plugin-api';

/** Frozen, because changes to it would not be sent. */
export function viewOf(message: Message): ClientMessage {
  const { text } = message;
  if (message.kind === 'response') {
    const { id, isError } = message;
    const error = isError ? errorOf(text) : undefined;
    const result = isError ? undefined : message.result;
    return freezeDeep({ kind: 'response', text, id: id.text, result, error });
  }
  const { method, params } = message;
  return message.kind === 'request'
    ? freezeDeep({ kind: 'request', text, id: message.id.text, method, params })
    : freezeDeep({ kind: 'notification', text, method, params });
}

function errorOf(text: string): Readonly<Record<string, unknown>> {
  const span = findValue(text, ['error']);
  const error: unknown = span === undefined ? undefined : JSON.parse(text.slice(span.start, span.end));
  return isJsonObject(error) ? error : {};
}

/** Not recursive, because messages may be nested to any depth. */
function freezeDeep<Value extends object>(value: Value): Value {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const inner of Object.values(next) as readonly unknown[]) {
      if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) open.push(inner);
    }
  }
  return value;
}
