import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';
import { SEARCH_TOOLS } from '@portolan/run-spec';

/** Maximum number of matches of `find_tool`. */
export const MAX_FOUND_TOOLS = 10;

export const DEFAULT_FOUND_TOOLS = 8;

/** Fault of the arguments of a call, as a sentence for the model that wrote them. */
export interface ArgumentFault {
  readonly fault: string;
}

/** Checked arguments of `find_tool`. */
export interface FindArguments {
  readonly query: string;
  readonly limit: number;
}

/** Checked arguments of `call_tool`. */
export interface CallArguments {
  /** Exposed name of a tool, which may not exist. */
  readonly name: string;
}

/** Returns the arguments of `find_tool`. A limit above the maximum counts as the maximum. */
export function parseFindArguments(value: unknown): FindArguments | ArgumentFault {
  const given = argumentsOf(value);
  const query = memberOf(given, 'query');
  if (typeof query !== 'string' || query.trim() === '') {
    return { fault: `"query" is ${typeName(query)}; expected a text that says what the tool does.` };
  }
  const { limit = DEFAULT_FOUND_TOOLS } = { limit: memberOf(given, 'limit') };
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) {
    return { fault: `"limit" is ${typeName(limit)}; expected a whole number from 1 to ${MAX_FOUND_TOOLS}.` };
  }
  return { query, limit: Math.min(limit, MAX_FOUND_TOOLS) };
}

/** Returns the arguments of `call_tool`, whose inner `arguments` may be missing. */
export function parseCallArguments(value: unknown): CallArguments | ArgumentFault {
  const given = argumentsOf(value);
  const name = memberOf(given, 'name');
  if (typeof name !== 'string' || name === '') {
    return { fault: `"name" is ${typeName(name)}; expected the name of a tool that find_tool returned.` };
  }
  if (SEARCH_TOOLS.some((reserved) => reserved === name)) {
    return { fault: `call_tool cannot call ${name}; expected the name of a tool that find_tool returned.` };
  }
  const inner = memberOf(given, 'arguments');
  if (inner !== undefined && !isJsonObject(inner)) {
    return {
      fault: `"arguments" is ${typeName(inner)}; expected an object that matches the input schema of ${name}.`,
    };
  }
  return { name };
}

function argumentsOf(value: unknown): JsonRecord | undefined {
  return isJsonObject(value) ? value : undefined;
}

function typeName(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text';
  if (typeof value === 'number') return `the number ${value}`;
  return Array.isArray(value) ? 'a list' : `of the type ${typeof value}`;
}
