import path from 'node:path';
import type { RunConfig, RunFlagName, RunFlags } from '@portolan/run-spec';
import { readAuditConfig } from './read-audit-config.ts';
import { readWebhookFiles } from './read-webhook-files.ts';
import { readAuthzConfig } from './read-authz-config.ts';
import { readToolsOverride } from './read-tools-override.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { nameFlag } from '../name-flag.ts';
import { readPolicyDocument } from './read-policy-document.ts';

export type FilePlaces = Pick<WorkloadContext, 'workingDirectory' | 'home'>;

/** Reads the files that a flag names, and returns the run config fields with their checked content. */
type ReadPolicyFile<Name extends RunFlagName> = (
  input: NonNullable<RunFlags[Name]>,
  places: FilePlaces,
  signal: AbortSignal,
) => Promise<Partial<RunConfig>>;

const POLICY_FILES: { readonly [Name in RunFlagName]?: ReadPolicyFile<Name> } = {
  // `enableAudit` must come before `auditConfig`, whose file replaces these defaults.
  enableAudit: async (isEnabled) => (isEnabled ? { audit_config: { enabled: true } } : {}),
  auditConfig: (file, places, signal) => readAuditConfig(pathOf(file, places), signal),
  authzConfig: (file, places, signal) => readAuthzConfig(file, pathOf(file, places), signal),
  toolsOverride: (file, places, signal) => readToolsOverride(pathOf(file, places), signal),
  webhookConfig: (files, places, signal) =>
    readWebhookFiles(
      files.map((file) => pathOf(file, places)),
      signal,
    ),
  rateLimitConfig: async (file, places, signal) => ({
    rate_limit_config: await readPolicyDocument('rate limits', pathOf(file, places), signal),
  }),
};

export interface PolicyFile {
  readonly flag: RunFlagName;
  readonly fields: Partial<RunConfig>;
}

export async function readPolicyFiles(
  flags: RunFlags,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<readonly PolicyFile[]> {
  const read: PolicyFile[] = [];
  // The keys of the table are names of flags.
  for (const flag of Object.keys(POLICY_FILES) as RunFlagName[]) {
    const input = flags[flag];
    if (input === undefined) continue;
    // SAFETY: the table maps each flag to the reader of its value.
    const reader = POLICY_FILES[flag] as ReadPolicyFile<RunFlagName> | undefined;
    if (reader === undefined) continue;
    read.push({ flag, fields: await nameFlag(flag, () => reader(input, places, signal)) });
  }
  return read;
}

/** Returns the absolute path of a file; `~` is the home folder. */
export function pathOf(file: string, { workingDirectory, home }: FilePlaces): string {
  const expanded = file === '~' || file.startsWith('~/') ? path.join(home, file.slice(1)) : file;
  return path.resolve(workingDirectory, expanded);
}
