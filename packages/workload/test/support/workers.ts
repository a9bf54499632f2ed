import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = path.join(import.meta.dirname, 'state-worker.ts');

/** Child processes of a test, all ended after it. */
export class Workers {
  readonly #started: ChildProcessWithoutNullStreams[] = [];

  start(...args: readonly string[]): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, ['--conditions=@portolan/source', SCRIPT, ...args]);
    child.stderr.pipe(process.stderr);
    this.#started.push(child);
    return child;
  }

  async endAll(): Promise<void> {
    for (const child of this.#started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

export async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the process has ended without a line');
}

export async function exitCode(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}
