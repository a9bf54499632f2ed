import path from 'node:path';
import { formatRunConfig, type RunConfig } from '@portolan/run-spec';
import { recordExport } from '../../../consent/trust-records.ts';
import { writeOutput } from '../../../state/write-output.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { ownSecretsOf } from '../../steps/run-secrets.ts';
import { kubernetesResource } from './kubernetes-resource.ts';

export const EXPORT_FORMATS = ['json', 'k8s'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportedText {
  readonly text: string;
  /** A sentence for each thing that one should know of it. */
  readonly warnings: readonly string[];
}

export interface ExportedWorkload extends Pick<ExportedText, 'warnings'> {
  /** Absolute path of the file. */
  readonly file: string;
}

/**
 * Returns the run config of a workload as a text. The text names secrets and never
 * contains them. The trust file keeps the digest of a JSON text, so that the text
 * runs here without a question. Throws ERR_WORKLOAD_UNKNOWN, what is wrong with the
 * run config, ERR_NOT_EXPORTABLE, and ERR_STATE_DAMAGED.
 */
export async function renderExport(
  name: string,
  format: ExportFormat,
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
): Promise<ExportedText> {
  const { config } = await store.getConfig(name);
  const own = warnOwnSecrets(config);
  if (format === 'json') {
    const clear = Object.keys(config.env_vars);
    const warnings =
      clear.length === 0 ? [] : [`The file holds the values of variables in clear: ${clear.join(', ')}.`];
    const text = formatRunConfig(config);
    await recordExport(name, text, { directories });
    return { text, warnings: [...warnings, ...own] };
  }
  const { resource, warnings } = kubernetesResource(config);
  const { stringify } = await import('yaml');
  return { text: stringify(resource), warnings: [...warnings, ...own] };
}

/** Returns a warning that names the secrets that `rm` deletes with the workload; empty where there is none. */
function warnOwnSecrets(config: RunConfig): readonly string[] {
  const names = ownSecretsOf(config);
  if (names.length === 0) return [];
  const list = names.join(', ');
  return [
    `The file holds no values of secrets. These secrets belong to ${config.name}, and \`portolan rm\` removes them with it: ${list}.`,
  ];
}

/**
 * Writes the same to a file of its owner, in place of one that was there;
 * folders are made. Throws as `renderExport`, ERR_NAMED_FILE for a device or a
 * folder, and ERR_STATE_INACCESSIBLE.
 */
export async function exportWorkload(
  name: string,
  named: string,
  format: ExportFormat,
  context: Pick<WorkloadContext, 'store' | 'workingDirectory' | 'directories'>,
): Promise<ExportedWorkload> {
  const file = path.resolve(context.workingDirectory, named);
  const { text, warnings } = await renderExport(name, format, context);
  await writeOutput(file, text, 0o750, 0o600);
  return { file, warnings };
}
