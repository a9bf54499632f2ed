import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KindProblem } from '@portolan/plugin-api';
import type { AuditConfig } from './audit-config.ts';
import { codeOf, HEAD_BYTES, isOwnFile, kindOf } from './open-audit-file.ts';

export type AuditFile = Pick<AuditConfig, 'logFile' | 'maxFileSize' | 'maxFiles'>;

/**
 * Returns problems of a block; none when the log is disabled. Examines the file and its folder without
 * creating them. A relative file starts at `directory`.
 */
export function checkAudit(
  config: AuditFile & Pick<AuditConfig, 'enabled'>,
  { directory }: { readonly directory: string },
): readonly KindProblem[] {
  const { enabled, logFile } = config;
  if (!enabled) return [];
  const fault = logFile === undefined ? undefined : findLogFault(resolve(directory, logFile));
  return [...(fault === undefined ? [] : [{ place: 'logFile', ...fault }]), ...checkRotation(config)];
}

export function checkRotation({ logFile, maxFileSize, maxFiles }: AuditFile): readonly KindProblem[] {
  const problems: KindProblem[] = [];
  if (logFile === undefined && maxFileSize > 0) {
    problems.push({
      place: 'maxFileSize',
      found: `${maxFileSize} without logFile`,
      expected: 'a logFile as well, or no value: standard output is not rotated',
    });
  }
  if (maxFiles !== undefined && maxFileSize === 0) {
    problems.push({
      place: 'maxFiles',
      found: `${maxFiles} without maxFileSize`,
      expected: 'a maxFileSize above 0, or no value',
    });
  }
  return problems;
}

type Fault = Omit<KindProblem, 'place'>;

function findLogFault(file: string): Fault | undefined {
  const shown = JSON.stringify(file);
  const ofFolder = findFolderFault(dirname(file));
  if (ofFolder !== undefined) {
    return { found: `${shown}, whose folder ${ofFolder}`, expected: 'a file in an existing folder' };
  }
  const stands = statsOf(file);
  if (stands === undefined) {
    const expected = 'a file in a folder that this user may write to';
    return mayWrite(dirname(file), constants.W_OK | constants.X_OK)
      ? undefined
      : { found: `${shown}, whose folder is not writable`, expected };
  }
  if (!stands.isFile() && !stands.isCharacterDevice()) {
    const expected = 'a regular file or none; for standard output, no logFile';
    return { found: `${kindOf(stands)} at ${shown}`, expected };
  }
  if (!mayWrite(file, constants.W_OK | constants.R_OK)) {
    return {
      found: `${shown}, which is not readable and writable`,
      expected: 'a file that this user may read and write',
    };
  }
  if (stands.isFile() && !isOwnFile(stands, readHead(file))) {
    return { found: `${shown}, which is not an audit log`, expected: 'no file, or an audit log' };
  }
  return undefined;
}

/** Reads the first bytes of a file; fewer when the file is shorter. */
function readHead(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('latin1', 0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

function findFolderFault(folder: string): string | undefined {
  try {
    return statSync(folder).isDirectory() ? undefined : 'is not a directory';
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return 'does not exist';
    return code === 'ENOTDIR' ? 'is not a directory' : `cannot be accessed (${code})`;
  }
}

/** Does not follow links. An inaccessible file counts as absent; the folder's check reports why. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined; // the file is absent, or its folder is not searchable
  }
}

function mayWrite(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false; // the file cannot be opened, for any reason
  }
}
