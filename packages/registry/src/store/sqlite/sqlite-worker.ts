// Writes in a thread, so that a large import, its commit and its checkpoint do not block the server.
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-executor.ts';
import type { WorkerReply, WorkerOrder } from './worker-executor.ts';

const port = parentPort;
if (port === null) throw new Error('sqlite-worker must run as a worker thread');

const connection = new SqliteConnection(String(workerData.path), 'write');
// FULL: an acknowledged write survives a power failure.
connection.run(
  'pragma journal_mode = wal; pragma journal_size_limit = 67108864; pragma synchronous = full; pragma cache_size = -4000',
);

port.on('message', (order: WorkerOrder) => {
  if (order.sql === undefined) {
    connection.close();
    port.close();
    return;
  }
  let reply: WorkerReply;
  try {
    reply = { id: order.id, result: connection.execute(order.sql, order.parameters) };
  } catch (error) {
    // node:sqlite throws errors with errcode
    const { message, errcode } = error as { message: string; errcode?: number };
    reply = { id: order.id, error: { message, errcode } };
  }
  port.postMessage(reply);
});
