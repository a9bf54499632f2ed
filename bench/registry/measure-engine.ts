import type { Engine } from './databases.ts';
import type { CatalogueFacts } from './generate.ts';
import type { Catalogues, EngineFigures, Filled, MeasureOptions } from './figures.ts';
import { fillAndMeasureCached } from './measure-cached.ts';
import { measureApiSync } from './measure-api-sync.ts';
import { measureAuthorized } from './measure-authorized.ts';
import { measurePages } from './measure-pages.ts';
import { measureStatements } from './measure-statements.ts';
import { measureSyncReads } from './measure-sync-reads.ts';
import { measureVersions } from './measure-versions.ts';
import { measureUncached } from './measure-uncached.ts';

/** Parts to measure. */
export interface Parts {
  readonly reads: boolean;
  readonly authorized: boolean;
  readonly versions: boolean;
  readonly apiSync: boolean;
  readonly syncReads: boolean;
  readonly pages: boolean;
}

/** Measures all requested parts for one engine. Throws for a wrong response. */
export async function measureEngine(
  engine: Engine,
  catalogues: Catalogues,
  parts: Parts,
  options: MeasureOptions,
): Promise<EngineFigures> {
  const largest = catalogues.large.at(-1);
  const say = (what: string): void => options.say(`${engine.name}: ${what}`);
  const takenOf = async <Figures>(
    facts: CatalogueFacts | undefined,
    isWanted: boolean,
    what: string,
    measure: (facts: CatalogueFacts) => Promise<Figures>,
  ): Promise<Figures | undefined> => {
    if (!isWanted || facts === undefined) return undefined;
    say(what);
    return await measure(facts);
  };
  const taken = async <Figures>(
    isWanted: boolean,
    what: string,
    measure: (facts: CatalogueFacts) => Promise<Figures>,
  ): Promise<Figures | undefined> => await takenOf(largest, isWanted, what, measure);
  return {
    engine: engine.name,
    ...(parts.reads ? await measureReads(engine, catalogues, options) : NOTHING),
    versions: await taken(parts.versions, 'single versions', () => measureVersions(engine, options)),
    authorized: await taken(parts.authorized, 'tokens and claims', ({ count }) =>
      measureAuthorized(engine, count, options),
    ),
    apiSync: await taken(parts.apiSync, 'a source of another registry', (facts) =>
      measureApiSync(engine, facts, options),
    ),
    syncReads: await taken(parts.syncReads, 'reads during syncs', () =>
      measureSyncReads(engine, catalogues, options),
    ),
    pages: await takenOf(catalogues.large[0], parts.pages, 'pages beside the API', (facts) =>
      measurePages(engine, facts, options),
    ),
  };
}

type ReadFigures = Pick<EngineFigures, 'sizes' | 'statements'>;

const NOTHING: ReadFigures = { sizes: [], statements: undefined };

async function measureReads(
  engine: Engine,
  catalogues: Catalogues,
  options: MeasureOptions,
): Promise<ReadFigures> {
  const filled: Filled[] = [];
  for (const facts of catalogues.large) {
    options.say(`${engine.name}, ${facts.count} entries: import, then cached reads`);
    filled.push(await fillAndMeasureCached(engine, catalogues.small, facts, options));
  }
  options.say(`${engine.name}: reads without a cache`);
  const sizes = await measureUncached(engine, filled, options);
  const largest = filled.at(-1);
  const countable = engine.name === 'PostgreSQL' && largest !== undefined;
  return {
    sizes,
    statements: countable ? await measureStatements(largest, options) : undefined,
  };
}
