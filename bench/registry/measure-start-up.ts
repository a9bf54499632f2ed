import { HttpConnection, wireRequest } from './http-connection.ts';
import { type MemoryFigures, memoryOf } from './process-figures.ts';
import { startPortolanWith, waitForEntries } from './start-portolan.ts';
import { waitForResponse } from './start-process.ts';
import { median } from './statistics.ts';
import type { UndoStack } from './undo-stack.ts';

export interface StartUpFigures {
  /** Medians in seconds from process start. */
  readonly firstAnswerSeconds: number;
  readonly firstEntriesSeconds: number;
  readonly runs: readonly number[];
  /** Memory after some hundred requests. */
  readonly memory: MemoryFigures;
}

const EVERY_MS = 2;
const REQUESTS = 300;
const REGISTRY = 'main';

/** Starts and stops `portolan serve` with a configuration several times. */
export async function measureStartUp(
  configFile: string,
  options: { readonly folder: string; readonly built: boolean; readonly runs: number },
  undo: UndoStack,
): Promise<StartUpFigures> {
  const answers: number[] = [];
  const entries: number[] = [];
  let memory: MemoryFigures = { residentMb: 0, anonymousMb: 0, peakMb: 0 };
  for (let run = 0; run < options.runs; run += 1) {
    const server = await startPortolanWith(configFile, options);
    undo.push('portolan serve', () => server.stop());
    await waitForResponse(server, '/registry', (status) => status === 200, { everyMs: EVERY_MS });
    answers.push((performance.now() - server.startedAt) / 1000);
    await waitForEntries(server, REGISTRY);
    entries.push((performance.now() - server.startedAt) / 1000);
    await browse(server.url);
    memory = memoryOf(server.pid);
    await server.stop();
  }
  return { firstAnswerSeconds: median(answers), firstEntriesSeconds: median(entries), runs: answers, memory };
}

async function browse(url: URL): Promise<void> {
  const connection = new HttpConnection(url);
  const request = wireRequest(url, `/registry/${REGISTRY}/v0.1/servers`);
  for (let sent = 0; sent < REQUESTS; sent += 1) await connection.send(request);
  connection.close();
}
