import { requestOf, SCATTERED } from './cases.ts';
import type { Engine } from './databases.ts';
import { type Filled, HAND_WRITTEN, type MeasureOptions, REGISTRY, type SizeFigures } from './figures.ts';
import { openHandWrittenQuery } from './hand-written-query.ts';
import { openLoad } from './open-load.ts';
import { memoryOf } from './process-figures.ts';
import { startPortolan, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';
import { type Target, takeTurns } from './take-turns.ts';

/** Measures servers without a response cache, all sizes in alternation, for comparison. */
export async function measureUncached(
  engine: Engine,
  filled: readonly Filled[],
  options: MeasureOptions,
): Promise<readonly SizeFigures[]> {
  const load = openLoad(1);
  const wide = openLoad(options.connections);
  const targets: Target[] = [];
  const servers: RunningProcess[] = [];
  const queries: { close(): Promise<void> }[] = [];
  try {
    for (const { facts, databaseUrl, cases } of filled) {
      const catalogues = { [REGISTRY]: facts.file };
      const server = await startPortolan({ ...options, databaseUrl, catalogues, cached: false });
      options.undo.push('portolan serve', () => server.stop());
      servers.push(server);
      await waitForEntries(server, REGISTRY);
      await waitUntilIdle(server);
      const at = (name: string): string => `${facts.count} ${name}`;
      targets.push(
        ...cases.single.map((one) => load.target(server, at(one.name), [requestOf(one, server.url)])),
        wide.target(
          server,
          at(SCATTERED),
          cases.scattered.map((one) => requestOf(one, server.url)),
        ),
      );
      const [first] = cases.single;
      if (engine.name !== 'PostgreSQL' || first === undefined) continue;
      const query = await openHandWrittenQuery(databaseUrl, REGISTRY, first.body);
      queries.push(query);
      targets.push({ name: at(HAND_WRITTEN), run: (durationMs) => query.run(durationMs) });
    }
    const figures = await takeTurns(targets, options);
    return filled.map(({ facts, figures: others }, at) => {
      const prefix = `${facts.count} `;
      const own = [...figures].filter(([name]) => name.startsWith(prefix));
      const uncached = Object.fromEntries(own.map(([name, one]) => [name.slice(prefix.length), one]));
      // SAFETY: there is one server for each.
      return { ...others, uncached, memoryUncached: memoryOf((servers[at] as RunningProcess).pid) };
    });
  } finally {
    await load.close();
    await wide.close();
    for (const query of queries) await query.close();
    for (const server of servers) await server.stop();
  }
}
