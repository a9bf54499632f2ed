// Runs tests in several parallel processes: `npm test`, `npm run test:fast`, `npm run test:soak`, `npm run t
// -- FILE...`. The last line is: N passed, N failed, N skipped. Exits with 1 after a failure, and with 130
// after an interruption.
import path from 'node:path';
import { bundlePrograms } from './tests/bundle-programs.ts';
import {
  batchTests,
  chooseTests,
  isFast,
  namedTests,
  SIDES,
  type TestBatch,
  type Tier,
} from './tests/choose-tests.ts';
import { readDurations, writeDurations } from './tests/durations.ts';
import { JointReport } from './tests/joint-report.ts';
import { RunningBatch } from './tests/run-batch.ts';
import { ROOT } from './workspace-packages.ts';

const [first = '', ...rest] = process.argv.slice(2);
const tier: Tier = first === '--fast' ? 'fast' : first === '--soak' ? 'soak' : 'all';
const names = (first.startsWith('--') ? rest : [first, ...rest]).filter((name) => name !== '');
if (first === '--named' && names.length === 0) {
  console.error(
    'error: Name test files, or folders that hold some: npm run t -- packages/registry/test/admin',
  );
  process.exit(2);
}
const isBuilt = names.length === 0 && tier !== 'fast' && (await buildProgram());
const programs = isBuilt ? await bundlePrograms(ROOT) : undefined;
const files = names.length > 0 ? namedTests(ROOT, names) : chooseTests(ROOT, tier);
const waiting = [
  ...batchTests(ROOT, tier === 'fast' && !files.every(isFast) ? 'all' : tier, files, readDurations(ROOT)),
];

const report = new JointReport({
  files: files.length,
  longMs: tier === 'fast' ? 10_000 : 30_000,
  countsCpu: tier === 'fast',
  isTerminal: process.stdout.isTTY,
  repeatsOutput: names.length > 0,
  write: (text) => process.stdout.write(text),
});
const running = new Set<RunningBatch>();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);

await Promise.all(Array.from({ length: SIDES[tier] }, (_, side) => runSide(side)));
report.end();
if (names.length === 0 && tier === 'all' && !isInterrupted) writeDurations(ROOT, report.durations);
process.exitCode = isInterrupted ? 130 : Math.min(report.failed, 1);

/**
 * Builds the program that tests start as a process: it needs less than half the CPU time of the sources. If
 * the build fails, tests start the sources, and the packaging suite fails.
 */
async function buildProgram(): Promise<boolean> {
  try {
    const { build } = await import('./build.ts');
    await build();
    return true;
  } catch (error) {
    console.error(`The program cannot be built; tests start its sources instead.\n${String(error)}`);
    return false;
  }
}

/**
 * The first process runs engine tests before others; the other processes run them last, when cores would be
 * idle.
 */
async function runSide(side: number): Promise<void> {
  for (let batch = next(side); batch !== undefined; batch = next(side)) {
    await runBatch(batch);
  }
}

function next(side: number): TestBatch | undefined {
  const wanted = waiting.findIndex(({ engine }) => engine === (side === 0));
  return waiting.splice(Math.max(wanted, 0), 1)[0];
}

async function runBatch({ files: some }: TestBatch): Promise<void> {
  let isFailed = false;
  const batch = new RunningBatch(some, {
    root: ROOT,
    environment: environmentOf(tier),
    preloads: tier === 'fast' ? [path.join(ROOT, 'test/support/starts-no-process.ts')] : [],
    onEvent: (event) => {
      isFailed ||= event.type === 'file' && event.failed > 0;
      report.take(event);
    },
  });
  running.add(batch);
  const { output, broken } = await batch.ended;
  running.delete(batch);
  report.endOf(some, output, isInterrupted ? undefined : broken, isFailed);
}

function environmentOf(wanted: Tier): NodeJS.ProcessEnv {
  const { PORTOLAN_TEST_POSTGRES_URL, ...others } = process.env;
  if (wanted === 'fast') return { ...others, PORTOLAN_TEST_FAST: '1' }; // only SQLite
  const server = PORTOLAN_TEST_POSTGRES_URL === undefined ? {} : { PORTOLAN_TEST_POSTGRES_URL };
  return {
    ...others,
    ...server,
    ...(isBuilt ? { PORTOLAN_DIST: '1' } : {}),
    ...(programs === undefined ? {} : { PORTOLAN_TEST_PROGRAMS: programs }),
    ...(wanted === 'soak' ? { PORTOLAN_TEST_SOAK: '1' } : {}),
  };
}

function interrupt(): void {
  isInterrupted = true;
  waiting.length = 0;
  for (const batch of running) batch.interrupt();
}
