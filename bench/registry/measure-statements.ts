import { requestOf } from './cases.ts';
import { openStatementCounter } from './count-statements.ts';
import { type Filled, type MeasureOptions, REGISTRY, type StatementFigures } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import { startPortolan, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import { median } from './statistics.ts';

const REQUESTS_COUNTED = 20;

/** Sends each case several times, and counts the statements that reach the database. */
export async function measureStatements(
  { facts, databaseUrl, cases }: Filled,
  options: MeasureOptions,
): Promise<Readonly<Record<string, StatementFigures>>> {
  const counter = await openStatementCounter(databaseUrl);
  options.undo.push('the statement counter', () => counter.close());
  const catalogues = { [REGISTRY]: facts.file };
  const server = await startPortolan({ ...options, databaseUrl: counter.url, catalogues, cached: false });
  options.undo.push('portolan serve', () => server.stop());
  await waitForEntries(server, REGISTRY);
  await waitUntilIdle(server);
  const connection = new HttpConnection(server.url);
  const counted: Record<string, StatementFigures> = {};
  for (const one of cases.single) {
    const { request, expected } = requestOf(one, server.url);
    const counts: number[] = [];
    for (let sent = 0; sent < REQUESTS_COUNTED; sent += 1) {
      const before = counter.count();
      await connection.send(request, expected);
      counts.push(counter.count() - before);
    }
    // The scheduler also sends statements; the median excludes them.
    counted[one.name] = { median: median(counts), most: Math.max(...counts) };
  }
  connection.close();
  await server.stop();
  await counter.close();
  return counted;
}
