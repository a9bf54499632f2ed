// One of several processes that use one cache: node cache-worker.ts FOLDER WRITER ROUNDS
import { createRecordingLogger } from '@portolan/plugin-testing';
import { CatalogueCache } from '../../packages/registry-client/src/lookup/catalogue-cache.ts';
import { writeAtomically } from '../../packages/workload/src/state/write-atomically.ts';

const [folder = '', writer = '', rounds = '1'] = process.argv.slice(2);
const open = (): CatalogueCache =>
  new CatalogueCache({
    folder,
    clock: () => new Date(),
    logger: createRecordingLogger(),
    write: writeAtomically,
  });
const cache = open();

for (let round = 0; round < Number(rounds); round += 1) {
  // The value is long, so that a reader would notice a partial write.
  const servers = Array.from({ length: 200 }, (_, at) => ({
    document: { name: `dev.acme/${writer}-${at}`, description: writer.repeat(100) },
    status: 'active',
    statusMessage: undefined,
  }));
  await cache.store(servers, 'shared');
  const cachedServers = await open().find('shared');
  const writers = new Set(cachedServers?.servers.map(({ document }) => document['description']));
  if (cachedServers?.servers.length !== 200 || writers.size !== 1) {
    process.stdout.write(
      `round ${round}: ${cachedServers?.servers.length} servers of ${writers.size} writers\n`,
    );
    process.exitCode = 1;
  }
}
