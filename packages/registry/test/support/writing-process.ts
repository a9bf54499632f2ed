// Writes until it is killed: syncs one source back and forth between two states,
// and publishes versions into another, saying on standard output what was answered.
import { anonymousPolicy } from '@portolan/authorization';
import { createRegistryAdmin, reconcileConfig, startSyncScheduler } from '@portolan/registry';
import type { SourceEntry } from '@portolan/plugin-api';
import { DATABASE_DEFAULTS, openTestStore, silent } from './engines.ts';

const url = process.argv[2] ?? '';
const run = process.argv[3] ?? '';
const store = await openTestStore({ ...DATABASE_DEFAULTS, url });
const common = { block: {}, publicBlock: {}, filter: undefined, claims: {} };
const ids = await reconcileConfig(
  store,
  {
    sources: [
      { ...common, name: 'synced', kind: 'file', intervalMs: 3_600_000, claimsFrom: 'source' },
      { ...common, name: 'published', kind: 'managed', intervalMs: undefined, claimsFrom: 'publisher' },
    ],
    registries: [
      { name: 'main', sources: ['synced', 'published'], claims: {}, public: false, publicClaims: undefined },
    ],
  },
  new Date(),
);
const id = ids.get('synced')?.id;
if (id === undefined) throw new TypeError('the source "synced" is missing');

let generation = Number(run) * 1000;
async function* readEntries(): AsyncGenerator<SourceEntry> {
  generation += 1;
  const count = 400 + (generation % 2) * 300;
  for (let at = 0; at < count; at += 1) {
    const document = {
      name: `acme/server-${at}`,
      description: `of generation ${generation}`,
      version: '1.0.0',
    };
    yield { type: 'server', document };
  }
}

const scheduler = startSyncScheduler({
  store,
  sources: [
    {
      id,
      name: 'synced',
      instance: { readEntries },
      claimsFrom: 'source',
      filter: undefined,
      intervalMs: 3_600_000,
    },
  ],
  logger: silent,
  clock: () => new Date(),
  maxMetaSize: 1000,
  completed: (record) => {
    process.stdout.write(`synced ${record.outcome} ${generation}\n`);
    scheduler.trigger('synced');
  },
});

const admin = createRegistryAdmin(store, { clock: () => new Date(), maxMetaSize: 1000 });
const $schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
for (let at = 0; ; at += 1) {
  const name = `acme/published-${at % 7}`;
  const version = `1.${run}.${at}`;
  await admin.publish(
    { policy: anonymousPolicy, caller: undefined },
    {
      source: 'published',
      type: 'server',
      claims: undefined,
      document: { $schema, name, description: 'published', version },
    },
  );
  process.stdout.write(`published ${name} ${version}\n`);
}
