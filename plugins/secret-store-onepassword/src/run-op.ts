import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { programFailed, programMissing } from './errors.ts';

export interface OpProgram {
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface OpResult {
  readonly status: number | null;
  readonly output: string;
  /** Failure message of the program, on one line. */
  readonly complaint: string;
}

const MAX_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_COMPLAINT = 400;

/** Runs the program without a shell. Throws ERR_SECRET_PROGRAM. */
export async function runOp(
  { program, environment }: OpProgram,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<OpResult> {
  signal?.throwIfAborted();
  const child = spawn(program, words, {
    env: withoutOurs(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const late = AbortSignal.timeout(MAX_MS);
  const stop = (): void => void child.kill('SIGKILL');
  for (const one of [late, signal]) one?.addEventListener('abort', stop);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const [status, output, complaint] = await Promise.all([
      ended,
      collect(child.stdout, stop),
      collect(child.stderr, stop),
    ]);
    signal?.throwIfAborted();
    if (late.aborted) throw programFailed(program, `it did not respond within ${MAX_MS / 1000} s`);
    if (output === undefined || complaint === undefined)
      throw programFailed(program, 'its output is too large');
    return { status, output, complaint: oneLine(complaint) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EACCES'].includes(String(error.code))) {
      throw programMissing(program, error);
    }
    throw error;
  } finally {
    for (const one of [late, signal]) one?.removeEventListener('abort', stop);
  }
}

/**
 * Removes Portolan's own secrets and passwords from an environment, because the other program must not get
 * them.
 */
function withoutOurs(environment: OpProgram['environment']): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:PORTOLAN|TOOLHIVE)_SECRET/.test(name)),
  );
}

async function collect(stream: NodeJS.ReadableStream, stop: () => void): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length <= MAX_BYTES) chunks.push(bytes);
    else stop();
  }
  return length <= MAX_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replace(/^\s*\[ERROR\][\d/: ]*/, '')
    .trim()
    .replace(/\.$/, '')
    .slice(0, MAX_COMPLAINT);
}
