import { workloadNames } from '../../command-line/flags/choice-flags.ts';
import { DIFFERS } from '../../command-line/exit-status.ts';
import { LockCommand, readFlags } from '../../command-line/lock-command.ts';
import { formatDrift } from '../../terminal/format/format-drift.ts';
import { describeError } from '../../terminal/report-error.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';

export default class LockDiff extends LockCommand {
  static override summary = 'Show how workloads differ from their locks';
  static override description =
    'Marks the changed words of texts: with colours on a terminal, else as [-removed-] and {+added+}. Without names, ' +
    'shows all locked workloads. The exit status is 0 if nothing differs, 3 if something differs, and 1 if a ' +
    'workload could not be read.';
  static override usage = 'lock diff [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> lock diff github'];
  static override args = workloadNames;
  static override flags = { ...readFlags };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(LockDiff);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const results = await this.inspectLocked(args.names, flags, context, signal);
      const look = terminalLook(process.stdout, process.env);
      let status = 0;
      for (const one of results) {
        if ('inspection' in one) {
          this.log(formatDrift(one.inspection, look));
          if (one.inspection.differences.length > 0 && status === 0) status = DIFFERS;
        } else if (one.error.code === 'ERR_NOT_LOCKED') {
          throw one.error;
        } else {
          this.tell([`${one.name}: ${describeError(one.error, { debug: flags.debug }).trimEnd()}`]);
          status = 1;
        }
      }
      return status;
    });
  }
}
