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
  readonly warnings: readonly string[];
}

export interface ExportedWorkload extends Pick<ExportedText, 'warnings'> {
  readonly file: string;
}

/**
 * Returns the run config of a workload as text without secrets. Records the digest of a JSON text, so that
 * this machine later runs the exported file without asking for consent. Throws ERR_WORKLOAD_UNKNOWN,
 * ERR_NOT_EXPORTABLE, ERR_STATE_DAMAGED, and the errors of reading the run config.
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
      clear.length === 0
        ? []
        : [`The file contains the values of variables in clear text: ${clear.join(', ')}.`];
    const text = formatRunConfig({ ...config, applied_by: '' });
    await recordExport(name, text, { directories });
    return { text, warnings: [...warnings, ...own] };
  }
  const { resource, warnings } = kubernetesResource(config);
  const { stringify } = await import('yaml');
  return { text: stringify(resource), warnings: [...warnings, ...own] };
}

/** Warns that the exported text refers to secrets that `portolan rm` deletes together with the workload. */
export function warnOwnSecrets(config: RunConfig): readonly string[] {
  const names = ownSecretsOf(config);
  if (names.length === 0) return [];
  const list = names.join(', ');
  return [
    `The file contains no values of secrets. These secrets belong to ${config.name}, and \`portolan rm\` removes them with it: ${list}.`,
  ];
}

/**
 * Writes the text of `renderExport` to a file that only its owner can read. Throws like `renderExport`,
 * ERR_NAMED_FILE for a device or a folder, and ERR_STATE_INACCESSIBLE.
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
