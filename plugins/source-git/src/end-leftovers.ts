import { readdir, readFile } from 'node:fs/promises';

/**
 * Ends what a server that was killed has left at work with this home, where the system shows such processes
 * (Linux): it would go on fetching, and nobody would look at its limits.
 */
export async function endLeftovers(home: string): Promise<void> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of ids) {
    // Those of other users, and those that are gone, cannot be read.
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.split('\0').includes(`HOME=${home}`)) end(Number(id));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
