import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';
import type { IndexedTool } from '@portolan/plugin-api';
import type { RenderedItem } from '../middleware/rendered-list.ts';
import { pathNameOf } from '../names/path-name.ts';

/** Returns the definition of a tool as clients see it, with its exposed name and the description of `override`. */
export function definitionOf({ text }: RenderedItem): JsonRecord {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/** Returns the parts of a tool that an index searches. Ignores parts of another type. */
export function indexedToolOf(item: RenderedItem): IndexedTool {
  const definition = definitionOf(item);
  const schema = memberOf(definition, 'inputSchema');
  const properties = isJsonObject(schema) ? memberOf(schema, 'properties') : undefined;
  return {
    key: pathNameOf(item.member, item.own),
    name: item.name,
    member: item.member,
    title: titleOf(definition),
    description: textOf(memberOf(definition, 'description')),
    parameters: isJsonObject(properties) ? Object.keys(properties) : [],
  };
}

/** Returns the title of a tool. Older servers have it in the annotations. */
export function titleOf(definition: JsonRecord): string | undefined {
  const annotations = memberOf(definition, 'annotations');
  const inner = isJsonObject(annotations) ? memberOf(annotations, 'title') : undefined;
  return textOf(memberOf(definition, 'title')) ?? textOf(inner);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
