import { stripVTControlCharacters } from 'node:util';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Maximum time for one program, in ms. Installations take minutes on a busy machine. */
const MAX_PROGRAM_MS = 600_000;

/** Where and with which variables a program runs. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether an exit status other than 0 is no error; default false. */
  readonly ignoresStatus?: boolean;
}

/** Returns what a program writes to standard output and standard error, without colours. Throws with it if the program fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, ignoresStatus = false }: ProgramOptions,
): Promise<string> {
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_PROGRAM_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const [status] = await once(child, 'close');
  const text = stripVTControlCharacters(output);
  if (status !== 0 && !ignoresStatus) throw new Error(text.trim() === '' ? `exit status ${status}` : text);
  return text;
}
