import { constants, fstat, read, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '@portolan/plugin-api';
import { closeDescriptor, DescriptorAppender, openDescriptor } from './descriptor.ts';
import { fileIsLink, fileUnopened, folderMissing, notAFile, notAnAuditLog } from './errors.ts';

const statOf = promisify(fstat);
const readSome = promisify(read);

const MODE = 0o600;
const OTHERS = 0o077;

// With O_NONBLOCK, a pipe without a reader does not block the start.
const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
const FLAGS = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_RDWR;

/** Number of bytes from the start of a file that show whether it is an audit log. */
export const HEAD_BYTES = 128;
const AUDIT_HEAD = /^\{"time":"[^"\\]{1,40}","level":"AUDIT","msg":"audit_event",/;
const TORN_HEAD = /^\{"time":"[^\n]{0,90}$/;

/**
 * Creates the file with mode 0600. Throws ERR_AUDIT_FILE for anything but a new file, a device or an audit
 * log: a configuration must not make Portolan write to a person's own files. A log that other users may read
 * is used with a warning.
 */
export async function openAuditFile(file: string, logger: Logger): Promise<DescriptorAppender> {
  await requireFolder(dirname(file));
  const fd = await openFile(file);
  try {
    const stats = await statOf(fd);
    if (!stats.isFile() && !stats.isCharacterDevice()) throw notAFile(file, kindOf(stats));
    if (stats.isFile()) {
      const { bytesRead, buffer } = await readSome(fd, Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      if (!isOwnFile(stats, buffer.toString('latin1', 0, bytesRead))) throw notAnAuditLog(file);
    }
    warnOfReaders(file, stats, logger);
    const torn = stats.isFile() && (await endsWithinLine(fd, stats.size));
    return new DescriptorAppender(fd, stats.size, torn);
  } catch (error) {
    await closeDescriptor(fd);
    throw error;
  }
}

/**
 * Accepts a file that begins with an audit line (which a full disk may have truncated), or is empty and
 * inaccessible to other users, like a new file of `logrotate` (`create 0640`).
 */
export function isOwnFile(stats: Stats, head: string): boolean {
  if (stats.size === 0) return (stats.mode & 0o027) === 0;
  return AUDIT_HEAD.test(head) || (stats.size < HEAD_BYTES && TORN_HEAD.test(head));
}

async function requireFolder(folder: string): Promise<void> {
  let stats: Stats;
  try {
    stats = await stat(folder);
  } catch (error) {
    throw folderMissing(
      folder,
      codeOf(error) === 'ENOENT' ? 'nothing' : `a path that fails (${codeOf(error)})`,
      error,
    );
  }
  if (!stats.isDirectory()) throw folderMissing(folder, kindOf(stats));
}

async function openFile(file: string): Promise<number> {
  try {
    return await openDescriptor(file, FLAGS, MODE);
  } catch (error) {
    throw unopened(file, error);
  }
}

function unopened(file: string, error: unknown): Error {
  const code = codeOf(error);
  if (code === 'ELOOP') return fileIsLink(file, error);
  if (code === 'EISDIR') return notAFile(file, 'a folder');
  return fileUnopened(file, code, error);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

export function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}

function warnOfReaders(file: string, match: Stats, logger: Logger): void {
  const me = process.geteuid?.();
  if (me === undefined || !match.isFile()) return;
  const mode = (match.mode & 0o777).toString(8).padStart(4, '0');
  if ((match.mode & OTHERS) !== 0) {
    logger.warn({ file, mode, expected: '0600' }, 'the audit log may be read or written by other users');
  }
  if (match.uid !== me) {
    logger.warn({ file, owner: match.uid, expected: me }, 'the audit log belongs to another user');
  }
}

/** Returns whether the file ends within a line, because a process ended or the disk was full. */
async function endsWithinLine(fd: number, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { bytesRead, buffer } = await readSome(fd, Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== 0x0a;
}
