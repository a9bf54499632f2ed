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
  static override summary = 'Sync a source now';
  static override description =
    'With --wait, the command shows the progress until the sync ends, then the skipped entries with the ' +
    'reasons. The exit status is 1 when the source is unreadable, or when the server holds the sync because ' +
    'the source would lose most of its entries.';
  static override examples = [
    '<%= config.bin %> sources sync partners --wait',
    '<%= config.bin %> sources sync partners --accept-removals',
  ];
  static override args = sourceName;
  static override flags = {
    ...serverFlags,
    full: Flags.boolean({ description: 'read the whole source, even if it has not changed', default: false }),
    'accept-removals': Flags.boolean({
      description: 'accept the sync even if the source loses most of its entries',
      default: false,
    }),
    wait: Flags.boolean({ description: 'wait for the end of the sync', default: false }),
    'wait-timeout': Flags.string({
      description: 'maximum time to wait',
      helpValue: 'DURATION',
      default: '10m',
    }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesSync, this.argumentsOf(SourcesSync));
    const { full, 'accept-removals': acceptRemovals } = flags;
    const maxMs = parseDuration(flags['wait-timeout']);
    const client = await this.connect(flags);
    if (!flags.wait) {
      await requestSync(client, args.name, { full, acceptRemovals });
      return this.print(
        flags.format,
        { status: 'due' },
        `the server syncs source ${args.name} as soon as possible`,
      );
    }
    const line = new ProgressLine(process.stderr);
    const elapsed = (): number => performance.now();
    const startedAt = elapsed();
    try {
      const source = await syncAndWait(client, args.name, {
        full,
        acceptRemovals,
        maxMs,
        elapsed,
        pause,
        seen: (seen) => line.show(`${progressOf(seen)}, ${Math.round((elapsed() - startedAt) / 1000)} s`),
      });
      line.clear();
      this.print(flags.format, source, printSource(source));
      requireRead(args.name, source);
    } finally {
      line.clear();
    }
  }
}
