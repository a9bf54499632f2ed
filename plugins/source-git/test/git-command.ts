import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

/** Variables of a git that takes nothing from this machine. */
export const QUIET_GIT = {
  PATH: process.env['PATH'],
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@acme.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@acme.example',
} as const;

/** Runs git as a person would, and answers what it wrote. */
export async function git(
  folder: string,
  words: readonly string[],
  input: string | Buffer = '',
): Promise<string> {
  const child = spawn('git', words, { cwd: folder, env: QUIET_GIT, stdio: ['pipe', 'pipe', 'pipe'] });
  let wrote = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    wrote += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [status]: unknown[] = await once(child, 'close');
  if (status !== 0) throw new Error(`git ${words.join(' ')} ended with ${String(status)}: ${said}`);
  return wrote.trim();
}
