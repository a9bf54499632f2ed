// npm run bench:registry: throughput of the registry, compared with the limits of the machine. See
// bench/README.md.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.ts';
import { type Engine, postgresEngine, sqliteEngine } from './databases.ts';
import type { EngineFigures, MeasureOptions } from './figures.ts';
import { writeCatalogue } from './generate.ts';
import { judge } from './goals.ts';
import { measureEngine, type Parts } from './measure-engine.ts';
import { type GitFigures, measureGit } from './measure-git.ts';
import { type KubernetesFigures, measureKubernetes } from './measure-kubernetes.ts';
import { measureStartUp } from './measure-start-up.ts';
import { renderReport } from './print-report.ts';
import { UndoStack } from './undo-stack.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/anonymous-file-registry/portolan.config.yaml');
const SMALL_COUNT = 1000;
const CONNECTIONS = 8;

const PARTS = ['reads', 'authorized', 'versions', 'git', 'kubernetes', 'api-sync', 'sync-reads', 'pages'];

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    source: { type: 'boolean', default: false },
    engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    part: { type: 'string', multiple: true, default: PARTS },
    profile: { type: 'string' },
  },
});

const undo = new UndoStack();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
    void undo.run().then(() => process.exit(130));
  });
}
try {
  await main();
} catch (error) {
  // After an interruption, failures mean nothing.
  if (!isInterrupted) throw error;
} finally {
  await undo.run();
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another user that must traverse this folder.
  await chmod(folder, 0o711);
  const built = !flags.source;
  if (built) {
    say('building the packages');
    await build();
  }
  const options: MeasureOptions = {
    folder,
    built,
    connections: CONNECTIONS,
    quick: flags.quick,
    nodeArgs:
      flags.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(flags.profile)}`],
    ...(flags.quick
      ? { rounds: 3, turnMs: 200, warmUpMs: 200, writes: 50 }
      : { rounds: 5, turnMs: 300, warmUpMs: 300, writes: 300 }),
    undo,
    say,
  };
  say('start with the example');
  const startUp = await measureStartUp(EXAMPLE, { folder, built, runs: flags.quick ? 3 : 7 }, undo);
  const engines = await measureEngines(options);
  const git = flags.part.includes('git') ? await measureGitIn(folder) : undefined;
  const kubernetes = flags.part.includes('kubernetes') ? await measureCluster() : undefined;
  const goals = judge(engines, startUp, git);
  process.stdout.write(
    `\n${machine(built)}\n\n${renderReport(engines, startUp, goals, { git, kubernetes })}`,
  );
  if (flags.json !== undefined) {
    const figures = {
      machine: machine(built),
      at: new Date().toISOString(),
      goals,
      startUp,
      engines,
      git,
      kubernetes,
    };
    await writeFile(flags.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  }
}

async function measureEngines(options: MeasureOptions): Promise<readonly EngineFigures[]> {
  const counts = flags.quick ? [10_000] : [10_000, 100_000];
  const catalogues = path.join(options.folder, 'catalogues');
  await mkdir(catalogues);
  const file = (count: number): string => path.join(catalogues, `${count}.json`);
  const small = await writeCatalogue(file(SMALL_COUNT), SMALL_COUNT);
  const large = [];
  for (const count of counts) large.push(await writeCatalogue(file(count), count));
  const figures: EngineFigures[] = [];
  const parts: Parts = {
    reads: flags.part.includes('reads'),
    authorized: flags.part.includes('authorized'),
    versions: flags.part.includes('versions'),
    apiSync: flags.part.includes('api-sync'),
    syncReads: flags.part.includes('sync-reads'),
    pages: flags.part.includes('pages'),
  };
  for (const engine of await findEngines(options)) {
    figures.push(await measureEngine(engine, { small, large }, parts, options));
  }
  return figures;
}

async function measureGitIn(folder: string): Promise<GitFigures> {
  say('a git source beside git by itself');
  return await measureGit(folder, flags.quick ? 5 : 15);
}

async function measureCluster(): Promise<KubernetesFigures | undefined> {
  say('a Kubernetes source on a real API server');
  const figures = await measureKubernetes(flags.quick ? 5 : 20);
  if (figures === undefined) say('it is skipped: scripts/kube-env.sh build makes an API server');
  return figures;
}

async function findEngines({ folder }: MeasureOptions): Promise<readonly Engine[]> {
  const engines: Engine[] = [];
  if (flags.engine.includes('sqlite')) engines.push(sqliteEngine(folder));
  if (!flags.engine.includes('postgres')) return engines;
  const found = await postgresEngine(folder, undo);
  if (typeof found === 'string') say(`PostgreSQL is skipped: ${found}`);
  else engines.push(found);
  return engines;
}

function machine(built: boolean): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const from = built ? 'built packages' : 'sources';
  return `Node.js ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, ${memory} GB; portolan from ${from}`;
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
