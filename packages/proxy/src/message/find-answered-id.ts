import { membersOf } from './json-text.ts';
import type { MessageId } from './message.ts';
import { readId } from './parse-message.ts';

/**
 * The id of the request that a message answers of which only the beginning is
 * there; undefined when it is no answer as far as can be seen, or does not say
 * its id before it is cut.
 */
export function findAnsweredId(beginning: string): MessageId | undefined {
  try {
    return readAnsweredId(beginning);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // no JSON
    throw error;
  }
}

function readAnsweredId(beginning: string): MessageId | undefined {
  let id: MessageId | undefined;
  for (const { name, start, end } of membersOf(beginning, 0)) {
    if (name === 'method') return undefined;
    // Whether the last one is whole cannot be seen.
    if (end >= beginning.length) return id;
    if (name === 'id') id = readId(beginning.slice(start, end));
  }
  return id;
}
