import { constants, fstat, read, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '@portolan/plugin-api';
import { closeDescriptor, DescriptorAppender, openDescriptor } from './descriptor.ts';
import { fileIsLink, fileUnopened, folderMissing, notAFile } from './errors.ts';

const statOf = promisify(fstat);
const readSome = promisify(read);

const MODE = 0o600;
const OTHERS = 0o077;

// O_NONBLOCK: a pipe without a reader must not stop the start.
const { O_APPEND, O_CREAT, O_RDWR, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const FLAGS = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/**
 * Opens the audit file for appending, making it with mode 0600 when it is not
 * there. Throws ERR_AUDIT_FOLDER and ERR_AUDIT_FILE. What others may read is
 * used all the same, with a warning.
 */
export async function openAuditFile(file: string, logger: Logger): Promise<DescriptorAppender> {
  await requireFolder(dirname(file));
  const { fd, readable } = await openFile(file);
  try {
    const found = await statOf(fd);
    if (!found.isFile() && !found.isCharacterDevice()) throw notAFile(file, kindOf(found));
    warnOfReaders(file, found, logger);
    const torn = readable && found.isFile() && (await endsWithinLine(fd, found.size));
    return new DescriptorAppender(fd, found.size, torn);
  } catch (error) {
    await closeDescriptor(fd);
    throw error;
  }
}

async function requireFolder(folder: string): Promise<void> {
  let found: Stats;
  try {
    found = await stat(folder);
  } catch (error) {
    throw folderMissing(
      folder,
      codeOf(error) === 'ENOENT' ? 'nothing' : `a path that fails (${codeOf(error)})`,
      error,
    );
  }
  if (!found.isDirectory()) throw folderMissing(folder, kindOf(found));
}

/** Reading is for the last byte alone; without the right to it, that is not looked at. */
async function openFile(file: string): Promise<{ readonly fd: number; readonly readable: boolean }> {
  try {
    return { fd: await openDescriptor(file, FLAGS | O_RDWR, MODE), readable: true };
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw unopened(file, error);
  }
  try {
    return { fd: await openDescriptor(file, FLAGS | O_WRONLY, MODE), readable: false };
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

/** The code of a system error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** In words. */
export function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return found.isFile() ? 'a file' : 'a device';
}

function warnOfReaders(file: string, found: Stats, logger: Logger): void {
  const me = process.geteuid?.();
  if (me === undefined || !found.isFile()) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  if ((found.mode & OTHERS) !== 0) {
    logger.warn({ file, mode, expected: '0600' }, 'the audit log may be read or written by other users');
  }
  if (found.uid !== me) {
    logger.warn({ file, owner: found.uid, expected: me }, 'the audit log belongs to another user');
  }
}

/** Whether a process ended, or the disk was full, in the middle of the last line. */
async function endsWithinLine(fd: number, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { bytesRead, buffer } = await readSome(fd, Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== 0x0a;
}
