import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import {
  formatRunConfig,
  type RunConfig,
  runConfigDocument,
  secretNamesIn,
  isReservedSecret,
} from '@portolan/run-spec';
import type { FileWorkload } from '@portolan/run-spec/workloads-file';
import { recordExport } from '../../../consent/trust-records.ts';
import { writeOutput } from '../../../state/write-output.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { planWorkloads } from '../../apply/plan-workloads.ts';
import { type ExportedText, type ExportedWorkload, warnOwnSecrets } from './export-workload.ts';

/**
 * Returns all workloads as the text of a workloads file, without values of secrets. A workload has the short
 * form if `apply` would change nothing about it, and its complete run config otherwise. Records the digests of
 * these run configs, so that this machine later runs them without asking for consent. Workloads with an
 * unreadable run config are left out with a warning.
 */
export async function renderAll(
  { name, format }: { readonly name: string; readonly format: 'yaml' | 'json' },
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ExportedText> {
  const stored = await context.store.list();
  const configs = stored.flatMap(({ config }) => (config === undefined ? [] : [config]));
  const unreadable = stored.filter(({ config }) => config === undefined);
  const short = await findShortForms(configs, context, signal);
  const workloads: Record<string, unknown> = {};
  for (const config of configs) {
    workloads[config.name] = short.get(config.name) ?? { config: await completeForm(config, context) };
  }
  const owners = [...new Set(configs.map(({ applied_by: owner }) => owner))].filter((one) => one !== '');
  const [owner] = owners;
  const secrets = [...new Set(configs.flatMap((config) => secretNamesIn(config)))].filter(
    (secret) => !isReservedSecret(secret),
  );
  const document = {
    name: owner !== undefined && owners.length === 1 ? owner : name,
    ...(secrets.length === 0 ? {} : { secrets: secrets.toSorted() }),
    workloads,
  };
  return {
    text: format === 'json' ? `${JSON.stringify(document, undefined, 2)}\n` : await formatYaml(document),
    warnings: [
      ...unreadable.map((one) => `${one.name} is left out: ${one.faults.join('; ')}.`),
      ...(owners.length < 2 ? [] : [severalOwners(owners)]),
      ...warnClearValues(configs),
      ...configs.flatMap((config) => warnOwnSecrets(config)),
    ],
  };
}

/**
 * Writes the text of `renderAll` to a file that only its owner can read. Throws ERR_NAMED_FILE for a device or a
 * folder, and ERR_STATE_INACCESSIBLE.
 */
export async function exportAll(
  named: string,
  options: Parameters<typeof renderAll>[0],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ExportedWorkload> {
  const file = path.resolve(context.workingDirectory, named);
  const { text, warnings } = await renderAll(options, context, signal);
  await writeOutput(file, text, 0o750, 0o600);
  return { file, warnings };
}

/** Returns the short forms, by name, of the workloads that they describe completely. */
async function findShortForms(
  configs: readonly RunConfig[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, JsonObject>> {
  const { parseWorkloadsFile, shortFormOf } = await import('@portolan/run-spec/workloads-file');
  const forms = new Map<string, JsonObject>();
  const parsed: FileWorkload[] = [];
  for (const config of configs) {
    const form = shortFormOf(config);
    const text = JSON.stringify({ name: 'export', workloads: { [config.name]: form } });
    try {
      parsed.push(...parseWorkloadsFile(text, 'the exported file').workloads);
      forms.set(config.name, form);
    } catch {
      // The short form cannot express a setting, so the file gets the run config.
    }
  }
  const source = { name: '', file: '', secrets: [], workloads: parsed };
  const { workloads } = await planWorkloads(source, context, { prune: false }, signal);
  const isSame = (name: string): boolean =>
    workloads.some((one) => one.name === name && (one.action === 'keep' || one.action === 'start'));
  return new Map([...forms].filter(([name]) => isSame(name)));
}

async function completeForm(config: RunConfig, context: WorkloadContext): Promise<JsonObject> {
  const own = { ...config, applied_by: '' };
  await recordExport(config.name, formatRunConfig(own), context);
  return runConfigDocument(own);
}

function severalOwners(owners: readonly string[]): string {
  return (
    `Several workloads files created these workloads: ${owners.join(', ')}. Apply the exported file on another ` +
    'machine only: here, each workload belongs to the file that created it.'
  );
}

function warnClearValues(configs: readonly RunConfig[]): readonly string[] {
  const clear = configs.flatMap(({ name, env_vars: variables }) =>
    Object.keys(variables).map((variable) => `${name}/${variable}`),
  );
  return clear.length === 0
    ? []
    : [`The file contains the values of variables in clear text: ${clear.join(', ')}.`];
}

async function formatYaml(document: object): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
