import {
  extensionKeysOf,
  portolanExtensionOf,
  stacklokExtensionOf,
  withPortolanExtension,
} from '../publisher-metadata.ts';
import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf, nameOfType, textOf } from '../json-value.ts';

/** Lists of definitions that an entry can publish. */
export const PUBLISHED_LISTS = ['tools', 'prompts', 'templates'] as const;
export type PublishedList = (typeof PUBLISHED_LISTS)[number];

/** Maximum number of items to read from one published list. */
const MAX_PUBLISHED_ITEMS = 10_000;

/** Member of an entry that holds a list. Templates have the name that MCP uses. */
const MEMBERS = { tools: 'tools', prompts: 'prompts', templates: 'resourceTemplates' } as const;

/** The response of a published server to `initialize` or `server/discover`. */
export interface PublishedServer {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: unknown;
  /** Undefined for a server without instructions. */
  readonly instructions: unknown;
}

/** Part of the published definitions that is unreadable. */
export interface PublishedFault {
  readonly part: PublishedList | 'server';
  /** Clause: "the list is not an array". */
  readonly fault: string;
}

/**
 * Definitions that an entry publishes. An undefined part is not published. A list with a fault is empty, so
 * that none of its items counts as published.
 */
export interface PublishedDefinitions {
  /** `portolan`: written by `portolan publish --with-tools`. `publisher`: `tool_definitions` of the publisher. */
  readonly from: 'portolan' | 'publisher';
  readonly tools: readonly unknown[] | undefined;
  readonly prompts: readonly unknown[] | undefined;
  readonly templates: readonly unknown[] | undefined;
  readonly server: PublishedServer | undefined;
  readonly faults: readonly PublishedFault[];
}

/**
 * Returns the definitions that an entry publishes in the publisher-provided part of `_meta`. Those under
 * `dev.portolan` are complete and take precedence over `tool_definitions` of the publisher. Undefined if the
 * entry publishes neither. `keys` are the identifiers and URLs under which to look for the publisher's.
 */
export function readPublishedDefinitions(
  document: unknown,
  keys: readonly string[] = extensionKeysOf(document),
): PublishedDefinitions | undefined {
  const own = memberOf(portolanExtensionOf(document), 'definitions');
  if (own !== undefined && own !== null) return readOwn(own);
  const tools = memberOf(stacklokExtensionOf(document, keys), 'tool_definitions');
  // An empty list is how some programs write that the tools are unknown.
  if (tools === undefined || tools === null || (Array.isArray(tools) && tools.length === 0)) return undefined;
  const faults: PublishedFault[] = [];
  const items = readList('tools', tools, faults);
  return {
    from: 'publisher',
    tools: items,
    prompts: undefined,
    templates: undefined,
    server: undefined,
    faults,
  };
}

function readOwn(definitions: unknown): PublishedDefinitions {
  if (!isJsonObject(definitions)) {
    const fault = `the definitions are ${nameOfType(definitions)}, not an object`;
    const faults = PUBLISHED_LISTS.map((part) => ({ part, fault }));
    return { from: 'portolan', tools: [], prompts: [], templates: [], server: undefined, faults };
  }
  const faults: PublishedFault[] = [];
  const read = (part: PublishedList): readonly unknown[] | undefined => {
    const list = memberOf(definitions, MEMBERS[part]);
    return list === undefined ? undefined : readList(part, list, faults);
  };
  return {
    from: 'portolan',
    tools: read('tools'),
    prompts: read('prompts'),
    templates: read('templates'),
    server: readServer(definitions, faults),
    faults,
  };
}

function readList(part: PublishedList, list: unknown, faults: PublishedFault[]): readonly unknown[] {
  if (!Array.isArray(list)) {
    faults.push({ part, fault: `the list is ${nameOfType(list)}, not an array` });
    return [];
  }
  if (list.length > MAX_PUBLISHED_ITEMS) {
    faults.push({
      part,
      fault: `the list has ${list.length} items; at most ${MAX_PUBLISHED_ITEMS} are read`,
    });
    return [];
  }
  return list;
}

function readServer(definitions: object, faults: PublishedFault[]): PublishedServer | undefined {
  const server = memberOf(definitions, 'server');
  if (server === undefined) return undefined;
  const capabilities = memberOf(server, 'capabilities');
  if (!isJsonObject(capabilities)) {
    faults.push({ part: 'server', fault: `its capabilities are ${nameOfType(capabilities)}, not an object` });
    return undefined;
  }
  return {
    name: textOf(server, 'name'),
    version: textOf(server, 'version'),
    capabilities,
    instructions: memberOf(server, 'instructions') ?? undefined,
  };
}

/**
 * Returns a copy of a document that publishes definitions under `dev.portolan`. Other members of `_meta` stay
 * as they are. Undefined parts are left out.
 */
export function publishDefinitions(
  document: JsonObject,
  { tools, prompts, templates, server }: Omit<PublishedDefinitions, 'from' | 'faults'>,
): JsonObject {
  const parts = { server, tools, prompts, [MEMBERS.templates]: templates };
  const definitions = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return withPortolanExtension(document, { definitions });
}
