import path from 'node:path';
import { cpuMs } from '../../registry/process-figures.ts';
import { median } from '../../registry/statistics.ts';
import { UndoStack } from '../../registry/undo-stack.ts';
import { type Goal, toGoal } from '../goals.ts';
import { startBackend } from '../groups.ts';
import type { TargetSource } from '../targets.ts';
import { policyStarter } from './groups.ts';
import { openPolicyBench } from './settings.ts';

/** Maximum additional start-up time in milliseconds with all policies. */
const LATER_MS = 250;

/**
 * Measures the time from process start to the first session, with and without policies in alternation. The
 * compile cache is the supervisor's, which the first round fills.
 */
export async function measureStarts(source: TargetSource, rounds: number): Promise<readonly Goal[]> {
  const bench = await openPolicyBench(source.folder, source.undo);
  const behind = ['http', (await startBackend(source, [])).origin];
  const { oauth, cedar, observing } = bench;
  const settings = [undefined, { oauth, middleware: [...observing, ...cedar] }];
  const environment = { NODE_COMPILE_CACHE: path.join(source.folder, 'compiled') };
  const startOne = async (at: number): Promise<Start> => {
    const undo = new UndoStack();
    source.undo.push('a start', () => undo.run());
    const start = policyStarter({ ...source, undo }, bench, 'starts', behind);
    const began = performance.now();
    const { pid } = await start(at === 0 ? 'portolan' : 'all', settings[at], environment);
    const took = { wallMs: performance.now() - began, cpuMs: cpuMs(pid) };
    await undo.run();
    return took;
  };
  for (const at of [0, 1]) await startOne(at);
  const later: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const backwards = round % 2 === 1;
    const first = await startOne(backwards ? 1 : 0);
    const second = await startOne(backwards ? 0 : 1);
    const [without, all] = backwards ? [second, first] : [first, second];
    later.push({ wallMs: all.wallMs - without.wallMs, cpuMs: all.cpuMs - without.cpuMs });
  }
  return [
    toGoal(
      'policies: start later than without',
      'at most',
      LATER_MS,
      median(later.map(({ wallMs }) => wallMs)),
      'ms',
    ),
    // Goal for a machine that also has other work.
    toGoal(
      'policies: CPU of a start more than without',
      'at most',
      LATER_MS,
      median(later.map((one) => one.cpuMs)),
      'ms',
    ),
  ];
}

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}
