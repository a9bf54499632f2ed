import type { Entry } from '../responses/entry.ts';
import { type JsonMap, listOf, mapOf, textOf, textsOf } from '../responses/json-value.ts';
import { definitionsOf } from './definitions/definitions.ts';

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** Parameters of the tool; required ones have `isRequired`. */
  readonly takes: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly type: string | undefined;
  }[];
  /** Effect that the tool's annotations declare: read-only, or destructive. */
  readonly effect: 'reads' | 'destroys' | undefined;
}

export const EFFECT_WORDS = { reads: 'only reads', destroys: 'may destroy' } as const;

/**
 * Returns the tools that a version publishes. Those of `portolan publish --with-tools` replace the ones that the
 * publisher declares.
 */
export function toolsOf(entry: Entry): readonly Tool[] {
  const own = definitionsOf(entry)?.tools;
  const extension = own === undefined ? entry.extension : {};
  const defined = own ?? listOf(extension['tool_definitions']).map(mapOf);
  const byName = new Map(
    defined.flatMap((tool) => {
      const name = textOf(tool['name']);
      return name === undefined ? [] : [[name, tool] as const];
    }),
  );
  const names = [...new Set([...textsOf(extension['tools']), ...byName.keys()])];
  return names.map((name) => toolOf(name, byName.get(name) ?? {}));
}

function toolOf(name: string, input: JsonMap): Tool {
  const schema = mapOf(input['inputSchema'] ?? input['input_schema']);
  const required = textsOf(schema['required']);
  const { readOnlyHint, destructiveHint } = mapOf(input['annotations']);
  return {
    name,
    description: textOf(input['description']),
    takes: Object.entries(mapOf(schema['properties'])).map(([parameter, property]) => ({
      name: parameter,
      isRequired: required.includes(parameter),
      type: textOf(mapOf(property)['type']),
    })),
    effect: readOnlyHint === true ? 'reads' : destructiveHint === true ? 'destroys' : undefined,
  };
}
