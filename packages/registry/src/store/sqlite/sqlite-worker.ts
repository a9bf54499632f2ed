// The thread that writes a SQLite file: what takes long there (a large import,
// its commit, the checkpoint after it) does not keep the server from answering.
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-executor.ts';
import type { WorkerAnswer, WorkerOrder } from './worker-executor.ts';

const port = parentPort;
if (port === null) throw new Error('sqlite-worker runs as a worker thread only');

const connection = new SqliteConnection(String(workerData.path), 'write');
// FULL: what was answered to a client survives a power cut, too.
connection.run(
  'pragma journal_mode = wal; pragma journal_size_limit = 67108864; pragma synchronous = full; pragma cache_size = -4000',
);

port.on('message', (order: WorkerOrder) => {
  if (order.sql === undefined) {
    connection.close();
    port.close();
    return;
  }
  let answer: WorkerAnswer;
  try {
    answer = { id: order.id, result: connection.execute(order.sql, order.parameters) };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number }; // node:sqlite throws Errors with errcode
    answer = { id: order.id, error: { message, errcode } };
  }
  port.postMessage(answer);
});
