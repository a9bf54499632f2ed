import { Args } from '@oclif/core';
import type { Difference } from '@portolan/lock';
import { approveInLock, lockItemUnknown, type LockInspection, notLocked } from '@portolan/workload/lock';
import { LockCommand, readFlags, yesFlag } from '../../command-line/lock-command.ts';
import { parseLockTargets } from '../../command-line/lock-targets.ts';
import { formatDrift } from '../../terminal/format/format-drift.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';

export default class LockApprove extends LockCommand {
  static override summary = 'Approve what differs from the lock of a workload';
  static override description =
    'Shows the differences from the lock, asks, and writes them into the lock file. Without a tool, approves ' +
    'everything of the workload: tools, prompts, templates, instructions, capabilities, and its package or image. ' +
    'An approval takes effect at once, also in a running workload.';
  static override usage = 'lock approve NAME[/TOOL]... [FLAGS]';
  static override examples = [
    '<%= config.bin %> lock approve github',
    '<%= config.bin %> lock approve github/search_code --yes',
  ];
  static override args = {
    targets: Args.string({
      description: 'workload, or a tool, prompt or template of it; repeatable',
      multiple: true,
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { yes: yesFlag, ...readFlags };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(LockApprove);
    const targets = parseLockTargets(args.targets);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const results = await this.inspect([...targets.keys()], flags, context, signal);
      const selected = results.map((one) => {
        if ('error' in one) throw one.error;
        return select(one.inspection, targets.get(one.name));
      });
      const look = terminalLook(process.stdout, process.env);
      for (const inspection of selected) this.log(formatDrift(inspection, look));
      if (selected.some(({ differences }) => differences.length > 0))
        await this.ask(`Approve this in ${selected.map(({ name }) => name).join(', ')}?`, flags.yes === true);
      for (const inspection of selected) {
        const isChanged = await approveInLock(inspection, () => true, context, signal);
        this.tell([`${inspection.name}: ${isChanged ? 'approved in' : 'unchanged in'} ${inspection.file}`]);
      }
      return 0;
    });
  }
}

/** Returns an inspection with the named items only. Throws ERR_NOT_LOCKED. */
function select(inspection: LockInspection, items: readonly string[] | undefined): LockInspection {
  const { name, file, previous, differences } = inspection;
  if (previous === undefined) throw notLocked(name, file);
  if (items === undefined) return inspection;
  const isNamed = (one: Difference): boolean => one.name !== '' && items.includes(one.name);
  const { tools, prompts, templates } = previous.workload;
  for (const item of items) {
    const isKnown = [tools, prompts, templates].some((list) => list.has(item));
    if (!isKnown && !differences.some((one) => one.name === item)) throw lockItemUnknown(name, item);
  }
  return { ...inspection, differences: differences.filter(isNamed) };
}
