import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills git processes that a killed server left running with this home folder, because they would continue to
 * fetch without limits. Does nothing where the system does not list processes (only Linux does).
 */
export async function removeOrphans(home: string): Promise<void> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of ids) {
    // Processes of other users, and ended ones, are unreadable.
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.split('\0').includes(`HOME=${home}`)) end(Number(id));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended meanwhile
  }
}
