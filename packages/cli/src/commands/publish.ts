import { Args, Flags } from '@oclif/core';
import { badArgument } from '../terminal/terminal-errors.ts';
import { claimFlag, managedSourceFlag, typeFlag } from '../command-line/flags/entry-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { serverFlags } from '../command-line/flags/server-flags.ts';
import { ServerCommand } from '../command-line/server-command.ts';
import { parseClaims } from '../publish/parse-claims.ts';
import { publishFile } from '../publish/publish-file.ts';
import { endError, endText } from '../publish/publish-end.ts';

export default class Publish extends ServerCommand {
  static override summary = 'Publish a server, a skill, a plugin, or every entry of a catalogue';
  static override description =
    'FILE is a server.json, a skill, a plugin, or a catalogue of them; `-` is standard input. It is checked ' +
    'before anything is sent. Of a catalogue, entries that the server refuses are told and the others are ' +
    'published all the same; versions that the server has already count as done. Ends with status 1 when an ' +
    'entry was refused, with 2 when the file cannot be used.';
  static override args = {
    file: Args.string({
      description: 'what to publish',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...serverFlags,
    claim: claimFlag,
    source: managedSourceFlag,
    type: typeFlag({ description: 'what FILE is; of a catalogue, the entries that are meant' }),
    'dry-run': Flags.boolean({
      description: 'have the server judge it as it would, and publish nothing',
      default: false,
    }),
    'skip-invalid': Flags.boolean({
      description: 'publish the others when entries of a catalogue break rules',
      default: false,
    }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Publish, this.argumentsOf(Publish));
    if (args.file === '-' && flags['token-file'] === '-')
      throw badArgument('FILE and --token-file cannot both be standard input');
    const claims = await parseClaims(flags.claim);
    const { stdin, stderr } = process;
    const dryRun = flags['dry-run'];
    const client = await this.connect(flags);
    const report = await publishFile({
      client,
      file: args.file,
      type: flags.type,
      claims,
      source: flags.source,
      dryRun,
      skipInvalid: flags['skip-invalid'],
      stdin,
      told: stderr,
      tellsAll: flags.format === 'text',
      now: new Date(),
    });
    const { results: entries, summary } = report;
    const text = endText(report, { dryRun });
    if (flags.format === 'json') this.print('json', { server: client.origin, dryRun, entries, summary }, '');
    else if (text !== undefined) this.log(text);
    const error = endError(report, client);
    if (error !== undefined) throw error;
  }
}
