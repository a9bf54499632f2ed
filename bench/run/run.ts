// npm run bench:run: duration of `portolan run` compared with the engine's own client, and the cost of a
// workload. See bench/README.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.ts';
import { median } from '../registry/statistics.ts';
import { UndoStack } from '../registry/undo-stack.ts';
import { provideEverythingImage } from '../../test/support/everything-image.ts';
import { judge, type RunFigures } from './goals.ts';
import { measureBare } from './measure-bare.ts';
import { measureMany } from './measure-many.ts';
import { measureMemory, measureRun, type RunTimes } from './measure-run.ts';
import { openPolicyFlags } from './policy-flags.ts';
import { renderReport } from './print-report.ts';
import { WorkloadCommands } from './workload-commands.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    source: { type: 'boolean', default: false },
  },
});

const undo = new UndoStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void undo.run().then(() => process.exit(130)));
}
try {
  await main();
} finally {
  await undo.run();
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  if (!flags.source) {
    say('building the packages');
    await build();
  }
  const image = await provideEverythingImage();
  const commands = await WorkloadCommands.open(folder, !flags.source);
  say('warming up');
  await measureBare(image);
  await measureRun(commands, image, { name: 'bench-warm', isolated: true });
  const behind = await openPolicyFlags(folder, undo);
  await measureRun(commands, image, { name: 'bench-warm', isolated: true, behind });
  const rounds = flags.quick ? 3 : 9;
  const bare: number[] = [];
  const isolated: RunTimes[] = [];
  const open: RunTimes[] = [];
  const policed: RunTimes[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    bare.push(await measureBare(image));
    isolated.push(await measureRun(commands, image, { name: `bench-isolated-${round}`, isolated: true }));
    open.push(await measureRun(commands, image, { name: `bench-open-${round}`, isolated: false }));
    const name = `bench-policed-${round}`;
    policed.push(await measureRun(commands, image, { name, isolated: true, behind }));
  }
  say('memory of an idle supervisor');
  const memory = await measureMemory(commands, image, 'bench-memory');
  const count = flags.quick ? 5 : 20;
  say(`${count} workloads at once`);
  const many = await measureMany(commands, image, count);
  const figures: RunFigures = {
    bareMs: median(bare),
    isolated: medians(isolated),
    open: medians(open),
    isolatedLaterMs: median(isolated.map(({ listed }, round) => listed - (bare[round] ?? Number.NaN))),
    openLaterMs: median(open.map(({ listed }, round) => listed - (bare[round] ?? Number.NaN))),
    policed: medians(policed),
    policedLaterMs: median(
      policed.map(({ listed }, round) => listed - (isolated[round]?.listed ?? Number.NaN)),
    ),
    memory,
    many,
  };
  const goals = judge(figures);
  process.stdout.write(`\n${machine()}\n\n${renderReport(figures, goals)}`);
  if (flags.json !== undefined) {
    const document = { machine: machine(), at: new Date().toISOString(), goals, figures };
    await writeFile(flags.json, `${JSON.stringify(document, undefined, 2)}\n`);
  }
}

function medians(times: readonly RunTimes[]): RunTimes {
  const of = (pick: (one: RunTimes) => number): number => median(times.map(pick));
  const hasGateway = times.every(({ gateway }) => gateway !== undefined);
  return {
    supervisor: of(({ supervisor }) => supervisor),
    gateway: hasGateway ? of(({ gateway }) => gateway ?? Number.NaN) : undefined,
    container: of(({ container }) => container),
    ready: of(({ ready }) => ready),
    listed: of(({ listed }) => listed),
  };
}

function machine(): string {
  const load = loadavg()[0]?.toFixed(1);
  const from = flags.source ? 'sources' : 'built packages';
  return `Node.js ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, load ${load}; portolan from ${from}`;
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
