import { membersOf } from './json-text.ts';
import type { MessageId } from './message.ts';
import { readId } from './parse-message.ts';

/**
 * Returns the id of the request that a text of a server answers, although the text is
 * no valid message: it may be cut off, or break the rules of JSON or JSON-RPC. Returns
 * undefined when the text does not look like a response, is a list, or has its id after
 * the place where it cannot be read any more.
 */
export function findAnsweredId(text: string): MessageId | undefined {
  let id: MessageId | undefined;
  let isResponse = false;
  try {
    for (const { name, start, end } of membersOf(text, 0)) {
      if (name === 'method') return undefined;
      isResponse ||= name === 'jsonrpc' || name === 'result' || (name === 'error' && text[start] === '{');
      // Nothing says whether the last value is whole.
      if (end >= text.length) break;
      if (name === 'id') id ??= readId(text.slice(start, end));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // a name that is no JSON string
  }
  return isResponse ? id : undefined;
}
