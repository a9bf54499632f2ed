import { badArgument } from '../terminal/terminal-errors.ts';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { boolean, int, string } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { findLogName } from '../virtual-server/find-log-name.ts';
import { parseSince } from '../terminal/parse-since.ts';
import { printable } from '../terminal/printable.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { readLogLines } from '../terminal/read-log-lines.ts';
import { hintAtGuards, UnusedNames } from '../terminal/unused-names.ts';

export default class Logs extends WorkloadCommand {
  static override summary = 'Print the logs of a workload: server, proxy or network';
  static override description =
    'Without --proxy or --network, prints the log output of the server; for a virtual server, that of its ' +
    'member in --member. --network shows every connection that ' +
    'the container requested, with the rule that allowed or denied it. Logs are kept after `stop`, until ' +
    '`rm`. Only the last part of a very long log is kept.';
  static override examples = [
    '<%= config.bin %> logs weather --follow',
    '<%= config.bin %> logs weather --since 10m --timestamps',
    '<%= config.bin %> logs weather --proxy',
    '<%= config.bin %> logs weather --network',
    '<%= config.bin %> logs desk --member github',
  ];
  static override args = workloadName;
  static override flags = {
    follow: boolean({ char: 'f', description: 'print new lines until Ctrl-C' }),
    proxy: boolean({ char: 'p', description: 'print the log of the supervisor and its proxy' }),
    network: boolean({ description: 'print the connections that the container requested, with the results' }),
    member: string({
      char: 'm',
      description: 'print the log of this member of a virtual server',
      helpValue: 'NAME',
    }),
    tail: int({
      char: 'n',
      description: 'print only this number of existing lines, from the end',
      helpValue: 'LINES',
    }),
    since: string({
      description: 'print only lines since this time or for this duration (10m)',
      helpValue: 'TIME',
    }),
    timestamps: boolean({ char: 't', description: 'print the time of each line of the server' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Logs);
    const { follow = false, proxy = false, network = false, timestamps = false, tail } = flags;
    const since = flags.since === undefined ? undefined : parseSince(flags.since, new Date());
    if (proxy && network) throw badArgument('--proxy and --network cannot be used together');
    if (proxy && flags.member !== undefined) {
      throw badArgument('--proxy and --member cannot be used together: all members have the same proxy');
    }
    if (tail !== undefined && tail < 0)
      throw badArgument('--tail: found a negative number; expected 0 or more');
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const which = network ? 'network' : proxy ? 'supervisor' : 'server';
      const show = process.stdout.isTTY ? printable : (line: string): string => line;
      const unused = new UnusedNames();
      const seen = (line: string): void => (network ? unused.see(line) : undefined);
      const wish = { which, follow, tail, since, timestamps, seen, signal } as const;
      const name = proxy ? args.name : await findLogName(args.name, flags.member, context);
      for await (const line of readLogLines(name, context, wish)) {
        this.log('%s', show(line));
      }
      const hint = hintAtGuards(unused.list(context.clock()));
      if (hint !== undefined) this.tell([printable(hint)]);
      // Ctrl-C is the normal end of `--follow`.
      return 0;
    });
  }
}
