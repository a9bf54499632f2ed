import type { ListMethod } from '@portolan/lock';
import {
  elementsOf,
  findValue,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import { type DefinitionsSession, errorTextOf } from './definitions-session.ts';

/** Maximum number of pages of one list of definitions. */
const MAX_DEFINITION_PAGES = 250;
/** Maximum number of items of one list of definitions. */
const MAX_DEFINITIONS = 10_000;
/** Maximum length of one list of definitions in characters. */
const MAX_DEFINITIONS_LENGTH = 16 * 1024 * 1024;

/** JSON-RPC code of a method that the server does not have. */
const METHOD_NOT_FOUND = -32601;

/**
 * Returns all pages of a list as one JSON text, with each item as the server wrote it. A server without the method has
 * an empty list. Rejects with the clause that says why the list cannot be read.
 */
export async function readList(
  session: DefinitionsSession,
  { method, items }: Pick<ListMethod, 'method' | 'items'>,
  params: JsonRecord,
): Promise<string> {
  const texts: string[] = [];
  const cursors = new Set<string>();
  let length = 0;
  for (let cursor: string | undefined; ; ) {
    const response = await session.request(method, cursor === undefined ? params : { ...params, cursor });
    if (response.errorCode === METHOD_NOT_FOUND && cursor === undefined) return '[]';
    if (response.isError)
      throw new Error(`it responded to ${method} with an error: ${errorTextOf(response)}`);
    for (const text of itemsOf(response, method, items)) {
      length += text.length;
      texts.push(text);
      if (texts.length > MAX_DEFINITIONS || length > MAX_DEFINITIONS_LENGTH)
        throw new Error(`${method} has more than ${MAX_DEFINITIONS} items or 16 MiB`);
    }
    cursor = cursorOf(response);
    if (cursor === undefined) return `[${texts.join(',')}]`;
    if (cursors.has(cursor)) throw new Error(`${method} repeats its pages`);
    cursors.add(cursor);
    if (cursors.size >= MAX_DEFINITION_PAGES)
      throw new Error(`${method} has more than ${MAX_DEFINITION_PAGES} pages`);
  }
}

function itemsOf({ text, result }: ResponseMessage, method: string, items: string): readonly string[] {
  const list = isJsonObject(result) ? memberOf(result, items) : undefined;
  const span = Array.isArray(list) ? findValue(text, ['result', items]) : undefined;
  if (span === undefined) throw new Error(`its response to ${method} has no array "${items}"`);
  return [...elementsOf(text, span.start)].map(({ start, end }) => text.slice(start, end));
}

/** Returns the cursor of the next page. An empty one ends the list, as clients read it. */
function cursorOf({ result }: ResponseMessage): string | undefined {
  const cursor = isJsonObject(result) ? memberOf(result, 'nextCursor') : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
