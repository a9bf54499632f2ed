// npm run bench:cli: start-up times of commands, compared with Node.js itself. See bench/README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.ts';
import { openTenWorkloads } from './ten-workloads.ts';
import { median } from '../registry/statistics.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    built: { type: 'boolean', default: false, short: 'b' },
    launcher: { type: 'string' },
  },
});

/** Launcher of this tree, or of a packed installation. */
const LAUNCHER = path.resolve(
  flags.launcher ?? path.join(import.meta.dirname, '../../packages/cli/bin/portolan.js'),
);

/** Milliseconds that a command may take above twice the time of an empty Node.js program. */
const MORE_MS = 100;

const NODE = 'node -e 0';
const HELP = 'portolan --help';
const TEN = 'portolan list, ten workloads';
/** Maximum ratio of a list of ten workloads to the help. */
const TEN_MOST = 1.5;
const CASES: readonly (readonly [name: string, args: readonly string[]])[] = [
  [NODE, ['-e', '0']],
  [HELP, [LAUNCHER, '--help']],
  ['portolan list', [LAUNCHER, 'list']],
  [TEN, [LAUNCHER, 'list']],
  ['portolan list --format json', [LAUNCHER, 'list', '--format', 'json']],
  ['portolan run --help', [LAUNCHER, 'run', '--help']],
];

/** Commands that the goal applies to. */
const JUDGED = [HELP, 'portolan list'];

const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
const ten = await openTenWorkloads(path.join(folder, 'ten'));
try {
  await main();
} finally {
  await ten.close();
  await rm(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  if (!flags.built && flags.launcher === undefined) {
    say('building the packages');
    await build();
  }
  const times = new Map(CASES.map(([name]) => [name, [] as number[]]));
  for (const [name, args] of CASES) await timeOf(name, args); // fills the compile cache
  const rounds = flags.quick ? 7 : 25;
  say(`${rounds} starts of each`);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [name, args] of turn % 2 === 0 ? CASES : CASES.toReversed()) {
      times.get(name)?.push(await timeOf(name, args));
    }
  }
  await report(new Map([...times].map(([name, values]) => [name, median(values)])));
}

async function timeOf(name: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
    env: environment(name === TEN ? path.join(folder, 'ten') : folder),
    cwd: folder,
  });
  const [status] = (await once(child, 'close')) as [number | null]; // the type of the event's arguments
  const time = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return time;
}

/**
 * Returns an environment isolated from this user: no workloads but those below `root`, no plugins, its own
 * compile cache.
 */
function environment(root: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:PORTOLAN|NODE)_/.test(name));
  const folders = ['CONFIG_HOME', 'DATA_HOME', 'STATE_HOME', 'RUNTIME_DIR'].map((name) => [
    `XDG_${name}`,
    root,
  ]);
  return {
    ...Object.fromEntries([...own, ...folders]),
    PORTOLAN_DIST: '1',
    NODE_COMPILE_CACHE: path.join(folder, 'compile-cache'),
  };
}

async function report(medians: ReadonlyMap<string, number>): Promise<void> {
  const bare = medians.get(NODE) ?? Number.NaN;
  const limit = 2 * bare + MORE_MS;
  const rows = [...medians].map(([name, measured]) => {
    const most = JUDGED.includes(name)
      ? limit
      : name === TEN
        ? TEN_MOST * (medians.get(HELP) ?? 0)
        : undefined;
    return {
      name,
      ms: round(measured),
      ...(most === undefined ? {} : { limit: round(most), passes: measured <= most }),
    };
  });
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node.js ${process.version}`;
  process.stdout.write(`\n${machine}\n\n`);
  for (const { name, ms, limit: most, passes } of rows) {
    const goal = passes === undefined ? '' : `  at most ${most} ms: ${passes ? 'ok' : 'FAIL'}`;
    process.stdout.write(`${name.padEnd(30)} ${ms.toFixed(1).padStart(7)} ms${goal}\n`);
  }
  if (flags.json !== undefined) {
    await writeFile(
      flags.json,
      `${JSON.stringify({ machine, at: new Date().toISOString(), rows }, undefined, 2)}\n`,
    );
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
