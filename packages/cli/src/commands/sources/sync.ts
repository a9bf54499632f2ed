import { Flags } from '@oclif/core';
import { parseDuration } from '@portolan/plugin-api';
import { setTimeout as pause } from 'node:timers/promises';
import { sourceName } from '../../command-line/flags/admin-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { requestSync, syncAndWait } from '@portolan/registry-client';
import { printSource, progressOf, requireRead } from '../../admin/print-resources.ts';

export default class SourcesSync extends ServerCommand {
  static override summary = 'Have a source read now';
  static override description =
    'With --wait it is shown how that goes, and the command ends when it is over: with status 1 where the source could ' +
    'not be read, or the sync is held because the source would lose most of its entries. Entries that are left out are shown with the reasons.';
  static override examples = [
    '<%= config.bin %> sources sync partners --wait',
    '<%= config.bin %> sources sync partners --accept-removals',
  ];
  static override args = sourceName;
  static override flags = {
    ...serverFlags,
    full: Flags.boolean({ description: 'read all of it, changed or not', default: false }),
    'accept-removals': Flags.boolean({
      description: 'take over what is read even where the source loses most of its entries',
      default: false,
    }),
    wait: Flags.boolean({ description: 'wait until it is over', default: false }),
    'wait-timeout': Flags.string({ description: 'most time to wait', helpValue: 'DURATION', default: '10m' }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesSync, this.argumentsOf(SourcesSync));
    const { full, 'accept-removals': acceptRemovals } = flags;
    const mostMs = parseDuration(flags['wait-timeout']);
    const client = await this.connect(flags);
    if (!flags.wait) {
      await requestSync(client, args.name, { full, acceptRemovals });
      return this.print(flags.format, { status: 'due' }, `source ${args.name} is read as soon as can be`);
    }
    const line = new ProgressLine(process.stderr);
    const elapsed = (): number => performance.now();
    const begun = elapsed();
    try {
      const source = await syncAndWait(client, args.name, {
        full,
        acceptRemovals,
        mostMs,
        elapsed,
        pause,
        seen: (seen) => line.show(`${progressOf(seen)}, ${Math.round((elapsed() - begun) / 1000)} s`),
      });
      line.clear();
      this.print(flags.format, source, printSource(source));
      requireRead(args.name, source);
    } finally {
      line.clear();
    }
  }
}
