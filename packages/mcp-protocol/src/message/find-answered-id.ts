import { membersOf } from './json-text.ts';
import type { MessageId } from './message.ts';
import { readId } from './parse-message.ts';

/**
 * Returns the request id from the text of an invalid response, such as a truncated one, if the id is
 * readable.
 */
export function findAnsweredId(text: string): MessageId | undefined {
  let id: MessageId | undefined;
  let isResponse = false;
  try {
    for (const { name, start, end } of membersOf(text, 0)) {
      if (name === 'method') return undefined;
      isResponse ||= name === 'jsonrpc' || name === 'result' || (name === 'error' && text[start] === '{');
      // The last value may be truncated.
      if (end >= text.length) break;
      if (name === 'id') id ??= readId(text.slice(start, end));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // an invalid JSON string as a name
  }
  return isResponse ? id : undefined;
}
