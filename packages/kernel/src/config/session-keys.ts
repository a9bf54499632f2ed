import { statSync } from 'node:fs';
import { readSmallFileSync } from '@portolan/plugin-api';

const KEY_BYTES = 32;
const MAX_BYTES = 64 * 1024;
const EXPECTED = 'a file with keys, one on each line: 32 random bytes in base64 (openssl rand -base64 32)';

interface KeyFileFault {
  readonly found: string;
  readonly expected: string;
}

export function findSessionKeysFault(path: string): KeyFileFault | undefined {
  const read = readSessionKeys(path);
  return 'fault' in read ? read.fault : undefined;
}

/** Returns the session keys, or the problem with them. The first key encrypts; the others only decrypt. */
export function readSessionKeys(
  path: string,
): { readonly keys: readonly Buffer[] } | { readonly fault: KeyFileFault } {
  const shown = JSON.stringify(path);
  const fault = (found: string, expected = EXPECTED) => ({ fault: { found, expected } });
  let text: string;
  try {
    const { mode } = statSync(path);
    if ((mode & 0o007) !== 0 && process.platform !== 'win32')
      return fault(
        `${shown}, which every user of this machine may open`,
        'a file that only its owner and its group may read (chmod 640, or 600)',
      );
    text = readSmallFileSync(path, MAX_BYTES);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it is unreadable';
    if (code === 'EFBIG') return fault(`${shown}, which has more than ${MAX_BYTES} bytes`);
    return fault(`${shown}, which ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`);
  }
  const lines = text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (lines.length === 0) return fault(`the empty file ${shown}`);
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  const bad = lines.findIndex(
    (line, index) => !/^[A-Za-z0-9+/_-]+={0,2}$/.test(line) || keys[index]?.length !== KEY_BYTES,
  );
  if (bad >= 0) return fault(`${shown}, whose key ${bad + 1} is not ${KEY_BYTES} bytes in base64`);
  return { keys };
}
