import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../registry/statistics.ts';
import { listTools } from '../../run/messages.ts';
import { WorkloadCommands } from '../../run/workload-commands.ts';
import { type Goal, toGoal } from '../goals.ts';
import { McpLoad } from '../mcp-load.ts';
import type { TargetSource } from '../targets.ts';
import { treeOf } from '../tree-figures.ts';
import { between, middle, pidsOf, type Shares, takeTurn, told, type Workload } from './measure-engine.ts';
import { provideEchoImage } from './provide-echo-image.ts';
import { ReferenceCommands } from './reference-commands.ts';

const SHAPE = { sessions: 16, payloadBytes: 64 };
const WARM_MS = 4000;
const COMMAND = ['echo-stdio.mjs'];
const OPEN = ['--transport', 'stdio', '--isolate-network=false', '--max-sessions', '32'];
const LOOK_MS = 5;
/** ToolHive's workloads share one process among all sessions. */
const OURS = ['shared', 'own'] as const;

/**
 * Compares workloads of ToolHive with ours, both with the same image and without isolation: throughput, CPU
 * including the engine's, and the time to start and remove.
 */
export async function measureReference(
  source: TargetSource,
  program: string,
  rounds: number,
): Promise<readonly Goal[]> {
  const image = await provideEchoImage(source.folder);
  const ours = await WorkloadCommands.open(source.folder, true);
  const theirs = new ReferenceCommands(program, source.folder);
  const lives = (where: string): Promise<readonly Goal[]> => measureLives(image, ours, theirs, rounds, where);
  // ToolHive creates a network for the first workload and removes it with the last, which is measured
  // separately.
  const alone = await lives('alone');
  const served = await measureCalls(source, image, ours, theirs, rounds);
  return [...alone, ...served, ...(await lives('beside others'))];
}

async function measureCalls(
  source: TargetSource,
  image: string,
  ours: WorkloadCommands,
  theirs: ReferenceCommands,
  rounds: number,
): Promise<readonly Goal[]> {
  const started = new Map<string, Workload>();
  for (const sessions of OURS) {
    const name = `bench-beside-${sessions}`;
    source.undo.push(name, () => ours.remove(name));
    const url = await ours.run([
      image,
      '--name',
      name,
      '--stdio-sessions',
      sessions,
      ...OPEN,
      '--',
      ...COMMAND,
    ]);
    const load = await warm(source, new URL(url));
    const supervisor = treeOf(await ours.supervisorOf(name));
    started.set(sessions, { load, supervisor, ...(await pidsOf('portolan.dev/name', name)) });
  }
  const name = 'bench-beside-reference';
  source.undo.push(name, () => theirs.remove(name));
  const url = await theirs.run(name, image, COMMAND);
  await whenListed(url);
  const load = await warm(source, url);
  const supervisor = treeOf(await theirs.proxyOf(name));
  started.set('reference', { load, supervisor, ...(await pidsOf('toolhive-name', name)) });
  const turns = new Map<string, Shares[]>([...started.keys()].map((one) => [one, []]));
  for (let round = 0; round < rounds; round += 1) {
    const all = [...started];
    for (const [one, workload] of round % 2 === 0 ? all : all.toReversed()) {
      turns.get(one)?.push(await takeTurn(workload, SHAPE));
    }
  }
  for (const [one, taken] of turns) process.stdout.write(`${one}, 16 in flight\n  ${told(middle(taken))}\n`);
  const ratio = (one: string, figure: (shares: Shares) => number): number => {
    const others = turns.get('reference') ?? [];
    const taken = turns.get(one) ?? [];
    return median(taken.map((shares, at) => figure(shares) / figure(others[at] ?? shares)));
  };
  return [
    ...(
      [
        ['shared', 1.5],
        ['own', 1],
      ] as const
    ).map(([one, least]) =>
      toGoal(`a workload, ${one}: calls/s over the reference's`, 'at least', least, ratio(one, calls), '×'),
    ),
    ...OURS.map((one) =>
      toGoal(
        `a workload, ${one}: CPU of a call over the reference's`,
        'at most',
        0.7,
        ratio(one, between),
        '×',
      ),
    ),
  ];
}

function calls({ callsPerSecond }: Shares): number {
  return callsPerSecond;
}

async function warm({ undo }: TargetSource, url: URL): Promise<McpLoad> {
  const load = new McpLoad(url);
  undo.push(`sessions of ${url.href}`, () => load.close());
  await load.open(SHAPE.sessions);
  await load.run(SHAPE, WARM_MS);
  return load;
}

/** Measures in alternation the time from start to the tool list, and the time to remove. */
async function measureLives(
  image: string,
  ours: WorkloadCommands,
  theirs: ReferenceCommands,
  rounds: number,
  where: string,
): Promise<readonly Goal[]> {
  const name = 'bench-life';
  const lives = {
    ours: () =>
      lifeOf(
        async () => new URL(await ours.run([image, '--name', name, ...OPEN, '--', ...COMMAND])),
        () => ours.remove(name),
      ),
    theirs: () =>
      lifeOf(
        () => theirs.run(name, image, COMMAND),
        () => theirs.remove(name),
      ),
  };
  await lives.ours();
  await lives.theirs();
  const taken: { readonly ours: Life; readonly theirs: Life }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const backwards = round % 2 === 1;
    const first = await (backwards ? lives.theirs() : lives.ours());
    const second = await (backwards ? lives.ours() : lives.theirs());
    taken.push(backwards ? { ours: second, theirs: first } : { ours: first, theirs: second });
  }
  const [listed, removed] = (['listedMs', 'removedMs'] as const).map((figure) => ({
    ours: median(taken.map((life) => life.ours[figure])),
    theirs: median(taken.map((life) => life.theirs[figure])),
    ratio: median(taken.map((life) => life.ours[figure] / life.theirs[figure])),
  }));
  if (listed === undefined || removed === undefined) throw new Error('nothing was measured');
  for (const [what, { ours: own, theirs: other }] of Object.entries({ listed, removed })) {
    process.stdout.write(
      `${where}: ${what} after ${own.toFixed(0)} ms, the reference's after ${other.toFixed(0)} ms\n`,
    );
  }
  return [
    toGoal(`first tools/list over the reference's, not isolated, ${where}`, 'at most', 1, listed.ratio, '×'),
    toGoal(`rm over the reference's, ${where}`, 'at most', 1, removed.ratio, '×'),
  ];
}

interface Life {
  readonly listedMs: number;
  readonly removedMs: number;
}

async function lifeOf(start: () => Promise<URL>, remove: () => Promise<void>): Promise<Life> {
  const began = performance.now();
  await whenListed(await start());
  const listedMs = performance.now() - began;
  const ending = performance.now();
  await remove();
  return { listedMs, removedMs: performance.now() - ending };
}

/** Polls until the server responds. */
async function whenListed(url: URL): Promise<void> {
  for (const until = performance.now() + 30_000; ; ) {
    try {
      await listTools(url.href);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(LOOK_MS);
    }
  }
}
