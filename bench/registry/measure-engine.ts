import type { Engine } from './databases.ts';
import type { Catalogues, EngineFigures, Filled, MeasureOptions } from './figures.ts';
import { fillAndMeasureCached } from './measure-cached.ts';
import { measureStatements } from './measure-statements.ts';
import { measureUncached } from './measure-uncached.ts';

/** Everything about one engine. Throws when any answer is wrong. */
export async function measureEngine(
  engine: Engine,
  catalogues: Catalogues,
  options: MeasureOptions,
): Promise<EngineFigures> {
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
    engine: engine.name,
    sizes,
    statements: countable ? await measureStatements(largest, options) : undefined,
  };
}
