import { readFile } from 'node:fs/promises';

const LOOK_MS = 100;

/**
 * Most memory of a git and what it has started: its largest piece (`git-variables.ts`) and what it needs beside. What
 * a server names, references above all, is kept in memory and has no limit of git's own.
 */
const MAX_MB = 320;

/**
 * Looks at the memory of a process and its children, where the system shows it (Linux), and
 * calls `exceed` once it is too much; answers what stops that.
 */
export function watchMemory(pid: number | undefined, exceed: (mostMb: number) => void): () => void {
  if (pid === undefined) return () => undefined; // it could not be started
  let isLooking = false;
  const look = async (): Promise<void> => {
    if ((await memoryOf(pid)) > MAX_MB * 1_000_000) exceed(MAX_MB);
    isLooking = false;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Bytes that are its own and its children's: no pages of files, which the system can take back. */
async function memoryOf(pid: number): Promise<number> {
  const [status, children] = await Promise.all([
    textOf(`/proc/${pid}/status`),
    textOf(`/proc/${pid}/task/${pid}/children`),
  ]);
  const own = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const others = await Promise.all((children.match(/\d+/g) ?? []).map((child) => memoryOf(Number(child))));
  return others.reduce((sum, one) => sum + one, own);
}

/** Nothing where the process is gone, or the system has no such file. */
async function textOf(file: string): Promise<string> {
  return await readFile(file, 'latin1').catch(() => '');
}
