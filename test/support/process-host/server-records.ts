import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import type { Labels } from '@portolan/plugin-api';

/** Record of a server, with which any process finds it. */
export interface ServerRecord {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  readonly image: string;
  readonly createdAt: string;
  readonly pids: readonly number[];
}

const LOOK_MS = 10;

/** Records of servers, one file for each. */
export class ServerRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(record: ServerRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    // Other processes read the record at the same time, so the file is replaced atomically.
    const part = path.join(this.#folder, `.${randomUUID()}`);
    await writeFile(part, JSON.stringify(record));
    await rename(part, this.#fileOf(record.id));
  }

  async find(id: string): Promise<ServerRecord | undefined> {
    try {
      // SAFETY: this class writes the file.
      return JSON.parse(await readFile(this.#fileOf(id), 'utf8')) as ServerRecord;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async list(labels: Labels): Promise<readonly ServerRecord[]> {
    await mkdir(this.#folder, { recursive: true });
    const files = await readdir(this.#folder);
    const records = files.filter((file) => file.endsWith('.json'));
    const serverRecords = await Promise.all(records.map((file) => this.find(path.parse(file).name)));
    return serverRecords
      .filter((record) => record !== undefined)
      .filter((record) => Object.entries(labels).every(([name, value]) => record.labels[name] === value));
  }

  async remove(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Sends SIGTERM to a process, and SIGKILL after this time. Settles when the process has ended. */
export async function endProcess(pid: number, graceMs: number, signal?: AbortSignal): Promise<void> {
  const killAt = performance.now() + graceMs;
  if (graceMs > 0 && isAlive(pid)) process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) {
    if (performance.now() >= killAt) process.kill(pid, 'SIGKILL');
    await pass(LOOK_MS, undefined, { signal });
  }
}
