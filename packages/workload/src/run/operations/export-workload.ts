import path from 'node:path';
import { exportRunConfig } from '../../run-config/run-config-file.ts';
import { writeAtomically } from '../../state/write-atomically.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { kubernetesResource } from './kubernetes-resource.ts';

export const EXPORT_FORMATS = ['json', 'k8s'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportedWorkload {
  /** Absolute path of the file. */
  readonly file: string;
  /** A sentence for each thing that does not stand in it. */
  readonly warnings: readonly string[];
}

/**
 * Writes what a workload is run from to a file of its owner; folders are made.
 * Secrets never stand in it, only their names. Throws ERR_WORKLOAD_UNKNOWN,
 * what is wrong with its run config, ERR_NOT_EXPORTABLE, ERR_STATE_INACCESSIBLE.
 */
export async function exportWorkload(
  name: string,
  named: string,
  format: ExportFormat,
  { store, workingDirectory }: Pick<WorkloadContext, 'store' | 'workingDirectory'>,
): Promise<ExportedWorkload> {
  const { config } = await store.getConfig(name);
  const file = path.resolve(workingDirectory, named);
  if (format === 'json') {
    await exportRunConfig(config, file);
    const clear = Object.keys(config.env_vars);
    const warnings =
      clear.length === 0 ? [] : [`The file holds the values of variables in clear: ${clear.join(', ')}.`];
    return { file, warnings };
  }
  const { resource, warnings } = kubernetesResource(config);
  const { stringify } = await import('yaml');
  await writeAtomically(file, stringify(resource), 0o750);
  return { file, warnings };
}
