import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Store } from '@portolan/registry';
import { IS_SOAK } from '../../../test/support/soak.ts';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';
import { stateAt } from './support/reported-changes.ts';

const KILLS = IS_SOAK ? 100 : 5;

/** Runs the writing process, and kills it after some of its answers; what it said. */
async function writeAndKill(url: string, run: number): Promise<string[]> {
  const script = join(import.meta.dirname, 'support/writing-process.ts');
  const child = spawn(process.execPath, ['--conditions=@portolan/source', script, url, String(run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const said: string[] = [];
  // Between the first answer and some dozens: during a sync, a publish, or both.
  const enough = 1 + Math.floor(Math.random() * 60);
  let counted = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    // The source of changes is read in a moment: by its answers, every process would end before the first large sync.
    if (line.startsWith('told ')) continue;
    counted += 1;
    if (counted === enough) setTimeout(() => child.kill('SIGKILL'), Math.random() * 30);
  }
  const [, signal] = await exited;
  expect(signal, 'the process was killed').to.equal('SIGKILL');
  return said;
}

async function requireWhole(store: Store, said: readonly string[]): Promise<void> {
  const db = store.reading;
  const versions = await db.selectFrom('entry_version').selectAll().execute();
  const published = new Set(versions.map((row) => `published ${row.name} ${row.version}`));
  const lost = said.filter((line) => line.startsWith('published ') && !published.has(line));
  expect(lost, 'every publish that was answered is there').to.deep.equal([]);

  const entries = await db.selectFrom('entry').selectAll().execute();
  const latest = Map.groupBy(versions, (row) => row.entry_id);
  expect(latest.size, 'no entry is without versions').to.equal(entries.length);
  for (const rows of latest.values()) {
    expect(
      rows.filter((row) => row.is_latest === 1),
      `one latest version of ${rows[0]?.name}`,
    ).to.have.lengthOf(1);
  }

  const synced = versions.filter((row) => row.name.startsWith('acme/server-'));
  const generations = new Set(synced.map((row) => /generation (\d+)/.exec(row.document)?.[1]));
  expect(generations.size, 'the synced source is of one generation').to.be.at.most(1);
  const [generation] = generations;
  if (generation !== undefined) {
    expect(synced, 'and of all of it').to.have.lengthOf(400 + (Number(generation) % 2) * 300);
  }
  const done = said
    .filter((line) => line.startsWith('synced changed'))
    .map((line) => Number(line.split(' ')[2]));
  expect(Number(generation ?? 0), 'a sync that was told of is there').to.be.at.least(done.at(-1) ?? 0);

  await requireChangesOnce(store, said);

  const counts = await db.selectFrom('sync_status').select(['source_id', 'version_count']).execute();
  for (const { source_id, version_count } of counts) {
    const present = versions.filter((row) => row.source_id === source_id);
    expect(version_count, 'the counts are those of the data').to.equal(present.length);
  }
}

/** Of the source that tells changes there is what its cursor stands for: no change is lost, and none is told twice. */
async function requireChangesOnce(store: Store, said: readonly string[]): Promise<void> {
  const told = await store.reading
    .selectFrom('sync_status')
    .innerJoin('source', 'source.id', 'sync_status.source_id')
    .select(['sync_status.source_id', 'sync_status.cursor', 'sync_status.version_count'])
    .where('source.name', '=', 'told')
    .executeTakeFirstOrThrow();
  const versions = await store.reading
    .selectFrom('entry_version')
    .select(['name', 'document'])
    .where('source_id', '=', told.source_id)
    .execute();
  // As the process wrote it.
  const textOf = (document: string) => (JSON.parse(document) as { readonly description: string }).description;
  const found = versions.map(({ name, document }) => [name, textOf(document)]);
  expect(found, `what is stored at the cursor ${told.cursor}`).to.have.deep.members([
    ...stateAt(Number(told.cursor ?? 0)),
  ]);
  const synced = said.filter((line) => line.startsWith('told changed ')).at(-1);
  expect(Number(told.cursor), 'the last cursor that was told of').to.be.at.least(
    Number(synced?.split(' ')[2] ?? 0),
  );
}

forEachEngine((engine) => {
  if (engine.name === 'SQLite in memory') return;
  describe('a process killed while it syncs and publishes', () => {
    let database: TestDatabase;

    before(async () => {
      database = await engine.make();
    });

    after(() => database.drop());

    it(`loses no confirmed write and leaves no partial one, ${KILLS} times`, async function () {
      this.timeout(KILLS * 30_000); // each starts a process, and waits until it has stored enough
      const said: string[] = [];
      for (let run = 1; run <= KILLS; run += 1) {
        const latest = await writeAndKill(database.config.url ?? '', run);
        said.push(...latest);
        const store = await openTestStore(database.config);
        try {
          await requireWhole(store, [...said.filter((line) => line.startsWith('published ')), ...latest]);
        } finally {
          await store.close();
        }
      }
      for (const line of ['synced changed', 'told changed'])
        expect(
          said.filter((one) => one.startsWith(line)),
          `syncs went on after the kills: ${line}`,
        ).to.not.be.empty;
    });
  });
});
