import { badArgument } from '../terminal/terminal-errors.ts';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { boolean, int, string } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { parseSince } from '../terminal/parse-since.ts';
import { printable } from '../terminal/printable.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { readLogLines } from '../terminal/read-log-lines.ts';
import { hintAtGuards, UnusedNames } from '../terminal/unused-names.ts';

export default class Logs extends WorkloadCommand {
  static override summary = 'Print what the server of a workload, its proxy or its network have logged';
  static override description =
    'Without --proxy or --network, what the server writes for people. --network shows every connection that the ' +
    'container asked for, with the rule that allowed or denied it. The lines stay after `stop`, until `rm`; of ' +
    'very long logs, the last part.';
  static override examples = [
    '<%= config.bin %> logs weather --follow',
    '<%= config.bin %> logs weather --since 10m --timestamps',
    '<%= config.bin %> logs weather --proxy',
    '<%= config.bin %> logs weather --network',
  ];
  static override args = workloadName;
  static override flags = {
    follow: boolean({ char: 'f', description: 'go on with what is written from now on, until Ctrl-C' }),
    proxy: boolean({ char: 'p', description: 'what the supervisor and its proxy wrote' }),
    network: boolean({ description: 'what the container wanted to connect to, and what became of it' }),
    tail: int({ char: 'n', description: 'only the last so many lines of what is there', helpValue: 'LINES' }),
    since: string({
      description: 'only what was written since then: a time, or how long ago (10m)',
      helpValue: 'TIME',
    }),
    timestamps: boolean({ char: 't', description: 'when each line of the server was written' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Logs);
    const { follow = false, proxy = false, network = false, timestamps = false, tail } = flags;
    const since = flags.since === undefined ? undefined : parseSince(flags.since, new Date());
    if (proxy && network) throw badArgument('--proxy and --network cannot be used together');
    if (tail !== undefined && tail < 0)
      throw badArgument('--tail: found a negative number; expected 0 or more');
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const which = network ? 'network' : proxy ? 'supervisor' : 'server';
      const show = process.stdout.isTTY ? printable : (line: string): string => line;
      const unused = new UnusedNames();
      const seen = (line: string): void => (network ? unused.see(line) : undefined);
      const wish = { which, follow, tail, since, timestamps, seen, signal } as const;
      for await (const line of readLogLines(args.name, context, wish)) {
        this.log('%s', show(line));
      }
      const hint = hintAtGuards(unused.list(context.clock()));
      if (hint !== undefined) this.tell([printable(hint)]);
      // Ctrl-C is the normal end of `--follow`.
      return 0;
    });
  }
}
