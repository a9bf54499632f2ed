import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const root = path.resolve(import.meta.dirname, '../..');

/** Files that need the wall clock, each with the reason. */
const NEEDS_WALL_CLOCK: ReadonlyMap<string, string> = new Map([
  ['packages/kernel/src/logging/logger.ts', 'log lines have the time of day'],
  [
    'packages/workload/src/supervisor/idle-supervisor.ts',
    'a file has its modification time in wall-clock time',
  ],
  ['plugins/telemetry-otlp/src/otel-tracer.ts', 'spans have wall-clock times'],
]);

describe('monotonic time', () => {
  const users = globSync('{packages,plugins}/*/src/**/*.ts', { cwd: root }).filter((file) =>
    readFileSync(path.join(root, file), 'utf8').includes('Date.now('),
  );

  it('source files › measure intervals with performance.now(), not with Date.now()', () => {
    expect(users.filter((file) => !NEEDS_WALL_CLOCK.has(file))).to.deep.equal([]);
  });

  it('exemptions › name files that still use Date.now()', () => {
    expect([...NEEDS_WALL_CLOCK.keys()].filter((file) => !users.includes(file))).to.deep.equal([]);
  });
});
