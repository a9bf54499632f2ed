import { constants } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { type Grant, codeOf } from '@portolan/run-spec';
import { makeFolders } from '../state/make-folders.ts';
import { stateInaccessible } from '../state/state-errors.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Asker } from './trust-file.ts';

/** Maximum size of `grants.jsonl` in bytes before it is rotated; one earlier file is kept. */
const MAX_LOG_BYTES = 1_048_576;

export interface AcceptedConsent {
  readonly asker: Asker;
  readonly grants: readonly Grant[];
  readonly source: ConsentSource;
}

/** Appends one audit event for each grant to `grants.jsonl`. Throws ERR_STATE_INACCESSIBLE. */
export async function recordGrants(
  { asker, grants, source }: AcceptedConsent,
  { directories, clock }: Pick<WorkloadContext, 'directories' | 'clock'>,
): Promise<void> {
  const folder = path.dirname(directories.runConfigs);
  const file = path.join(folder, 'grants.jsonl');
  const time = clock().toISOString();
  const user = nameOfUser();
  const lines = grants.map(({ kind, line, subject, destination, setting }) =>
    JSON.stringify({
      time,
      level: 'AUDIT',
      msg: 'audit_event',
      type: 'consent_grant',
      outcome: 'success',
      component: 'portolan',
      subjects: { user },
      target: {
        type: kind,
        name: line,
        subject,
        ...(destination === undefined ? {} : { destination }),
        setting,
      },
      metadata: { extra: { author: asker.author, entry: asker.name, origin: asker.origin, source } },
    }),
  );
  try {
    await makeFolders(folder, 0o700);
    await rotate(file);
    const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
    const handle = await open(file, flags, 0o600);
    try {
      await handle.appendFile(`${lines.join('\n')}\n`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw stateInaccessible(file, 'write', error);
  }
}

async function rotate(file: string): Promise<void> {
  try {
    if ((await stat(file)).size > MAX_LOG_BYTES) await rename(file, `${file}.1`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export type ConsentSource = 'once' | 'always' | 'trust' | 'remembered' | 'registry';
