import type { PublishedDefinitions } from '@portolan/entry-format';
import { type Baseline, type CurrentDefinitions, takeBaseline } from '@portolan/lock';
import { definitionsUnpublishable } from './publish-errors.ts';
import type { WorkloadDefinitions } from './add-definitions.ts';

/**
 * Returns the definitions of a workload in canonical JSON, so that equal definitions publish the same bytes. Of
 * `_meta`, it keeps only the keys of MCP apps. Throws ERR_DEFINITIONS_UNREADABLE for definitions that have no digest,
 * because they could not be compared later.
 */
export function definitionsOfWorkload(workload: string, current: CurrentDefinitions): WorkloadDefinitions {
  const { baseline, faults } = takeBaseline(current);
  if (faults.length > 0) throw definitionsUnpublishable(workload, faults);
  const { tools, prompts, templates } = baseline;
  const definitions = {
    tools: valuesOf(tools),
    prompts: valuesOf(prompts),
    templates: valuesOf(templates),
    server: serverOf(baseline.server),
  };
  return { workload, definitions, bytes: Buffer.byteLength(JSON.stringify(definitions)) };
}

function valuesOf(items: Baseline['tools']): readonly unknown[] {
  return [...(items?.values() ?? [])].map(({ json }) => parse(json));
}

function serverOf(server: Baseline['server']): PublishedDefinitions['server'] {
  if (server === undefined) return undefined;
  const { name, version, capabilities, instructions } = server;
  return {
    name,
    version,
    capabilities: parse(capabilities.json),
    instructions: instructions === undefined ? undefined : parse(instructions.json),
  };
}

function parse(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}
