// Program that `LightReader` starts: reads pages of a registry on a fixed schedule, and reports on request. A
// separate process, so that the benchmark's own work does not count as the server's.
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection, wireRequest } from './http-connection.ts';
import type { Reads } from './light-reader.ts';
import { mainThreadMs, stolenMs } from './process-figures.ts';

const READ_EVERY_MS = 20;

const [pid = '', address = '', path = ''] = process.argv.slice(2);
let latenciesMs: number[] = [];
let worksMs: number[] = [];
let leftOut = 0;
const stopped = new AbortController();

try {
  setPriority(-20); // high priority, if permitted, so that a busy machine does not delay the measurement
} catch {
  // Not permitted: normal priority.
}
process.on('message', (message) => {
  if (message === 'stop') stopped.abort();
  else process.send?.(take());
});
process.on('disconnect', () => stopped.abort());
await run(Number(pid), new URL(address));
if (process.connected) process.disconnect();

/** Returns the reads since the last call. */
function take(): Reads {
  const reads = { latenciesMs, worksMs, leftOut };
  [latenciesMs, worksMs, leftOut] = [[], [], 0];
  return reads;
}

/** Throws at the first wrong response. */
async function run(server: number, url: URL): Promise<void> {
  const connection = new HttpConnection(url);
  const started = performance.now();
  try {
    for (let read = 0; !stopped.signal.aborted; read += 1) {
      const stolenBefore = stolenMs();
      const due = started + read * READ_EVERY_MS;
      await pause(Math.max(0, due - performance.now()));
      const since = new Date(Date.UTC(2020, 0, 1) + read * 1000).toISOString();
      const query = read % 2 === 0 ? '?limit=30' : `?limit=30&updated_since=${since}`;
      const workedMs = mainThreadMs(server);
      const { status, body } = await connection.send(wireRequest(url, path + query));
      if (status !== 200 || !body.includes('"count":30'))
        throw new Error(`${query}: status ${status} while something else happened`);
      const [latencyMs, workMs] = [performance.now() - due, mainThreadMs(server) - workedMs];
      if (stolenMs() > stolenBefore) {
        leftOut += 1;
        continue;
      }
      latenciesMs.push(latencyMs);
      worksMs.push(workMs);
    }
  } finally {
    connection.close();
  }
}
