import { type Grant, type Refusal, requireEnforced } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { prepareFile } from '../steps/prepare-file.ts';
import { findIssuerProblem, refuseIssuer } from '../../supervisor/issuer-problem.ts';

export interface CheckedFile {
  readonly file: string;
  readonly workload: string;
  readonly warnings: readonly string[];
  /** Grants that the file needs; empty for a file that was exported on this machine. */
  readonly grants: readonly Grant[];
  readonly refusals: readonly Refusal[];
}

/**
 * Checks a run config file as `run --from-config` does. Reads nothing that the file names if the file comes
 * from elsewhere. Throws the errors of reading the file, and ERR_RUN_CONFIG_PROTECTION.
 */
export async function checkFile(
  named: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<CheckedFile> {
  const gates = { decide: () => Promise.resolve(false), isOwn: false };
  const { file, config, notes, consent } = await prepareFile(named, context, gates, signal);
  requireEnforced(config);
  if (consent === undefined) refuseIssuer(await findIssuerProblem(config, context, signal));
  const { grants = [], refusals = [] } = consent?.demands ?? {};
  return { file, workload: config.name, warnings: notes, grants, refusals };
}
