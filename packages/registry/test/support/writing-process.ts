// Writes until it is killed: syncs one source back and forth between two states,
// and one that tells changes from cursor to cursor, and publishes versions into a
// third, saying on standard output what was answered.
import { anonymousPolicy } from '@portolan/authorization';
import { createRegistryAdmin, reconcileConfig, startSyncScheduler } from '@portolan/registry';
import type { ChangeItem, ReadItem, Source, SourceEntry } from '@portolan/plugin-api';
import { DATABASE_DEFAULTS, openTestStore, silent } from './engines.ts';
import { server } from './settable-source.ts';
import { changeAt, stateAt } from './reported-changes.ts';

const url = process.argv[2] ?? '';
const run = process.argv[3] ?? '';
const store = await openTestStore({ ...DATABASE_DEFAULTS, url });
const common = { block: {}, publicBlock: {}, filter: undefined, claims: {} };
const ids = await reconcileConfig(
  store,
  {
    sources: [
      { ...common, name: 'synced', kind: 'file', intervalMs: 3_600_000, claimsFrom: 'source' },
      { ...common, name: 'told', kind: 'file', intervalMs: 3_600_000, claimsFrom: 'source' },
      { ...common, name: 'published', kind: 'managed', intervalMs: undefined, claimsFrom: 'publisher' },
    ],
    registries: [
      { name: 'main', sources: ['synced', 'published'], claims: {}, public: false, publicClaims: undefined },
    ],
  },
  new Date(),
);
const idOf = (name: string): number => {
  const id = ids.get(name)?.id;
  if (id === undefined) throw new TypeError(`the source "${name}" is missing`);
  return id;
};

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

/** The end of the log that it told last. */
let reportCount = 0;
const telling: Source = {
  async *readEntries(): AsyncGenerator<ReadItem> {
    reportCount += 10;
    for (const [name, description] of stateAt(reportCount)) yield server(name, { description });
    yield { cursor: String(reportCount) };
  },
  async *readChanges(since): AsyncGenerator<ChangeItem> {
    const from = Number(since);
    // Some changes at a time, and now and then none can be told.
    reportCount = from + 1 + (from % 13);
    if (from % 11 === 3) {
      yield { startOver: 'The log was lost.' };
      return;
    }
    for (let at = from; at < reportCount; at += 1) {
      const { name, text } = changeAt(at);
      if (text === undefined) yield { removed: { type: 'server', name } };
      else yield server(name, { description: text });
    }
    yield { cursor: String(reportCount) };
  },
};

const scheduler = startSyncScheduler({
  store,
  sources: [
    { name: 'synced', instance: { readEntries } },
    { name: 'told', instance: telling },
  ].map(({ name, instance }) => ({
    id: idOf(name),
    name,
    instance,
    claimsFrom: 'source',
    filter: undefined,
    intervalMs: 3_600_000,
  })),
  logger: silent,
  clock: () => new Date(),
  maxMetaSize: 1000,
  completed: (record) => {
    const { source, outcome } = record;
    process.stdout.write(`${source} ${outcome} ${source === 'told' ? reportCount : generation}\n`);
    scheduler.trigger(source);
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
