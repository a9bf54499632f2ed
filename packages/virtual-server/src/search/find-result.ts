import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';
import type { RenderedItem } from '../middleware/rendered-list.ts';
import { definitionOf, titleOf } from './tool-parts.ts';

/** Maximum number of characters of the matches of one search, as JSON. The first match is always returned. */
const MAX_FOUND_LENGTH = 100_000;

/** Returns the result of `find_tool`: the matches as structured content and as text, best first. */
export function findResultOf(matches: readonly RenderedItem[]): JsonRecord {
  const tools: JsonRecord[] = [];
  let length = 0;
  for (const match of matches) {
    const tool = foundToolOf(match);
    length += JSON.stringify(tool).length;
    if (length > MAX_FOUND_LENGTH && tools.length > 0) break;
    tools.push(tool);
  }
  const structuredContent = { tools };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** Returns the result of a call of `find_tool` or `call_tool` that fails, with a sentence for the model. */
export function failedResultOf(text: string): JsonRecord {
  return { content: [{ type: 'text', text }], isError: true };
}

function foundToolOf(match: RenderedItem): JsonRecord {
  const definition = definitionOf(match);
  const title = titleOf(definition);
  const description = memberOf(definition, 'description');
  const inputSchema = memberOf(definition, 'inputSchema');
  const annotations = memberOf(definition, 'annotations');
  return {
    name: match.name,
    ...(title === undefined ? {} : { title }),
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isJsonObject(annotations) ? { annotations } : {}),
  };
}
