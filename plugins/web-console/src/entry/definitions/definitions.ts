import { readPublishedDefinitions } from '@portolan/entry-format';
import type { Entry } from '../../responses/entry.ts';
import { type JsonMap, listOf, mapOf, textOf } from '../../responses/json-value.ts';

/** Definitions that a version publishes, as pages show them. */
export interface ShownDefinitions {
  readonly tools: readonly JsonMap[];
  readonly prompts: readonly JsonMap[];
  readonly templates: readonly JsonMap[];
  readonly instructions: string | undefined;
  /** Clauses about lists that are unreadable. */
  readonly faults: readonly string[];
}

/** Returns the definitions of `portolan publish --with-tools`; undefined if the version has none. */
export function definitionsOf({ type, document }: Entry): ShownDefinitions | undefined {
  if (type !== 'server') return undefined;
  const published = readPublishedDefinitions(document);
  if (published?.from !== 'portolan') return undefined;
  const { tools, prompts, templates, server, faults } = published;
  return {
    tools: listOf(tools).map(mapOf),
    prompts: listOf(prompts).map(mapOf),
    templates: listOf(templates).map(mapOf),
    instructions: textOf(server?.instructions),
    faults: faults.map(({ part, fault }) => `${part}: ${fault}`),
  };
}
