import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freeAddress, type RunningProcess, startNode, waitForResponse } from './start-process.ts';

const PROGRAM = path.join(import.meta.dirname, 'bare-server.ts');

/** Starts the bare server. Each response is at `/NAME`, with the entity tag `W/"NAME"`. */
export async function startBareServer(
  folder: string,
  answers: ReadonlyMap<string, Buffer>,
): Promise<RunningProcess> {
  const answersFolder = path.join(folder, 'answers');
  await mkdir(answersFolder, { recursive: true });
  for (const [name, body] of answers) await writeFile(path.join(answersFolder, name), body);
  const url = await freeAddress();
  const server = startNode(url, {
    args: [PROGRAM, answersFolder, url.port],
    environment: {},
    logFile: path.join(folder, 'bare-server.log'),
  });
  await waitForResponse(server, '/', (status) => status === 404);
  return server;
}
