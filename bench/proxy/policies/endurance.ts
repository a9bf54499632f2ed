import { median } from '../../registry/statistics.ts';
import { type Goal, toGoal } from '../goals.ts';
import { startBackend } from '../groups.ts';
import type { TargetSource } from '../targets.ts';
import { residentMb } from '../tree-figures.ts';
import { policyStarter } from './groups.ts';
import { openPolicyBench } from './settings.ts';

/** Allowed variation of resident memory in MB. */
const SWING_MB = 20;
const SHAPE = { sessions: 64, payloadBytes: 64 };
const LOOK_MS = 500;
/** Number of parts of the run; each has the median of its samples. */
const PARTS = 10;

/**
 * Compares the memory of a proxy with all policies between the second and the last tenth of a very long run.
 */
export async function measureEndurance(
  source: TargetSource,
  calls: number,
  say: (line: string) => void,
): Promise<readonly Goal[]> {
  const bench = await openPolicyBench(source.folder, source.undo);
  const behind = ['http', (await startBackend(source, [])).origin];
  const { oauth, cedar, observing } = bench;
  const start = policyStarter(source, bench, 'endurance', behind);
  const { pid, load } = await start('all', { oauth, middleware: [...observing, ...cedar] });
  const looks: { readonly done: number; readonly mb: number }[] = [];
  for (let done = 0; done < calls; ) {
    done += (await load.run(SHAPE, LOOK_MS)).requests;
    looks.push({ done, mb: residentMb(pid) });
    if (looks.length % 40 === 0) say(`endurance: ${done} calls, ${looks.at(-1)?.mb} MB`);
  }
  const partOf = (part: number): number => {
    // The last sample is taken when more calls are done than planned.
    const within = looks.filter(({ done }) => Math.min(Math.ceil((done * PARTS) / calls), PARTS) === part);
    return median(within.map(({ mb }) => mb));
  };
  const grown = partOf(PARTS) - partOf(2);
  return [toGoal(`policies: memory that ${calls} calls add`, 'at most', SWING_MB, grown, 'MB')];
}
