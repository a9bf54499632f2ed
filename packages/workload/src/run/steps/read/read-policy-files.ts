import path from 'node:path';
import type { RunConfig, RunFlagName, RunFlags } from '@portolan/run-spec';
import { readAuditConfig } from './read-audit-config.ts';
import { readWebhookFiles } from './read-webhook-files.ts';
import { readAuthzConfig } from './read-authz-config.ts';
import { readToolsOverride } from './read-tools-override.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { nameFlag } from '../name-flag.ts';
import { readPolicyDocument } from './read-policy-document.ts';

/** Where files that flags name are looked for. */
export type FilePlaces = Pick<WorkloadContext, 'workingDirectory' | 'home'>;

/** Fields of the run config that the files behind one flag fill, checked. Throws a coded error that names file and place. */
type ReadPolicyFile<Name extends RunFlagName> = (
  given: NonNullable<RunFlags[Name]>,
  places: FilePlaces,
  signal: AbortSignal,
) => Promise<Partial<RunConfig>>;

/** Flags that name files whose content becomes a part of the run config. */
const POLICY_FILES: { readonly [Name in RunFlagName]?: ReadPolicyFile<Name> } = {
  // Before the file, whose settings take the place of the defaults.
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

/** What the files of one flag say. */
export interface PolicyFile {
  readonly flag: RunFlagName;
  readonly fields: Partial<RunConfig>;
}

/** Reads the files of all policies that flags name. Throws what their readers throw. */
export async function readPolicyFiles(
  flags: RunFlags,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<readonly PolicyFile[]> {
  const read: PolicyFile[] = [];
  // The names of the table are names of flags.
  for (const flag of Object.keys(POLICY_FILES) as RunFlagName[]) {
    const given = flags[flag];
    if (given === undefined) continue;
    // SAFETY: each reader stands under the flag whose value it takes.
    const reader = POLICY_FILES[flag] as ReadPolicyFile<RunFlagName> | undefined;
    if (reader === undefined) continue;
    read.push({ flag, fields: await nameFlag(flag, () => reader(given, places, signal)) });
  }
  return read;
}

/** A file as a user names it: `~` is the home folder, relative paths begin in the folder of the command. */
export function pathOf(file: string, { workingDirectory, home }: FilePlaces): string {
  const expanded = file === '~' || file.startsWith('~/') ? path.join(home, file.slice(1)) : file;
  return path.resolve(workingDirectory, expanded);
}
