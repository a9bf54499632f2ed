import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PUBLISHER_PROVIDED } from '@portolan/entry-format';
import { yielding } from './start-process.ts';
import { TestRepository } from '../../plugins/source-git/test/test-repository.ts';

/** Number of files in the repository, of which one is read. */
const FILES = 2000;
/** Number of entries in that file, each of about 1 kB. */
const ENTRIES = 400;

export interface ServedCatalogue {
  readonly url: string;
  readonly repository: TestRepository;
  stop(): Promise<void>;
}

/** Serves `catalogue.git` with 2,000 files from a separate process. */
export async function serveGitCatalogue(folder: string): Promise<ServedCatalogue> {
  const repository = await TestRepository.make(path.join(folder, 'catalogue.git'));
  await repository.commit(filesOf(0));
  const [program, ...args] = yielding([
    process.execPath,
    path.join(import.meta.dirname, 'serve-git.ts'),
    folder,
  ]);
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address]: unknown[] = await once(server.stdout.setEncoding('utf8'), 'data');
  return {
    url: `${String(address).trim()}/catalogue.git`,
    repository,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}

/** Returns one catalogue and many server.json files; the catalogue differs by round. */
export function filesOf(round: number): Record<string, string> {
  const server = (at: number): object => ({
    name: `dev.acme/s${at}`,
    description: `Server ${at} of round ${round}`,
    version: '1.0.0',
    _meta: { [PUBLISHER_PROVIDED]: { overview: `What server ${at} is good for. `.repeat(30) } },
  });
  const servers = Array.from({ length: ENTRIES }, (_, at) => server(at));
  const files = Array.from({ length: FILES - 1 }, (_, at): [string, string] => [
    `servers/${at}.json`,
    JSON.stringify(server(at)),
  ]);
  return { 'registry.json': JSON.stringify({ data: { servers } }), ...Object.fromEntries(files) };
}
