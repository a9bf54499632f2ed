import type { Engine } from './databases.ts';
import type { Catalogues, EngineFigures, Filled, MeasureOptions } from './figures.ts';
import { fillAndMeasureCached } from './measure-cached.ts';
import { measureAuthorized } from './measure-authorized.ts';
import { measureStatements } from './measure-statements.ts';
import { measureVersions } from './measure-versions.ts';
import { measureUncached } from './measure-uncached.ts';

/** What is to be measured. */
export interface Parts {
  readonly reads: boolean;
  readonly authorized: boolean;
  readonly versions: boolean;
}

/** Everything that is asked for about one engine. Throws when any answer is wrong. */
export async function measureEngine(
  engine: Engine,
  catalogues: Catalogues,
  parts: Parts,
  options: MeasureOptions,
): Promise<EngineFigures> {
  const reads = parts.reads ? await measureReads(engine, catalogues, options) : NOTHING;
  const largest = catalogues.large.at(-1);
  if (parts.versions) options.say(`${engine.name}: single versions`);
  const versions = parts.versions ? await measureVersions(engine, options) : undefined;
  if (!parts.authorized || largest === undefined)
    return { engine: engine.name, ...reads, authorized: undefined, versions };
  options.say(`${engine.name}, ${largest.count} entries: tokens and claims`);
  const authorized = await measureAuthorized(engine, largest.count, options);
  return { engine: engine.name, ...reads, authorized, versions };
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
