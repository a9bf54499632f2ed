import { Args, Flags } from '@oclif/core';
import { badArgument } from '../terminal/terminal-errors.ts';
import { claimFlag, managedSourceFlag, typeFlag } from '../command-line/flags/entry-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { serverFlags } from '../command-line/flags/server-flags.ts';
import { ServerCommand } from '../command-line/server-command.ts';
import type { WorkloadDefinitions } from '../publish/add-definitions.ts';
import { parseClaims } from '../publish/parse-claims.ts';
import { publishFile } from '../publish/publish-file.ts';
import { endError, endText } from '../publish/publish-end.ts';

export default class Publish extends ServerCommand {
  static override summary = 'Publish a server, skill or plugin, or all entries of a catalogue';
  static override description =
    'FILE is a server.json, a skill, a plugin, or a catalogue of them; `-` reads standard input. The command ' +
    'validates FILE before it sends anything. If the server refuses an entry of a catalogue, the command ' +
    'reports it and publishes the others. Versions that the server already has count as published. The exit ' +
    'status is 1 when an entry was refused, and 2 when FILE is invalid.';
  static override args = {
    file: Args.string({
      description: 'file to publish',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...serverFlags,
    claim: claimFlag,
    source: managedSourceFlag,
    type: typeFlag({ description: 'type of FILE; for a catalogue, publish only entries of this type' }),
    'with-tools': Flags.string({
      description: 'add the tools, prompts, templates and instructions of this running workload to the entry',
      helpValue: 'WORKLOAD',
    }),
    'dry-run': Flags.boolean({
      description: 'validate on the server, without publishing',
      default: false,
    }),
    'skip-invalid': Flags.boolean({
      description: 'publish the valid entries of a catalogue when others are invalid',
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
    const workload = flags['with-tools'];
    const definitions = workload === undefined ? undefined : await this.#readDefinitions(workload);
    const client = await this.connect(flags);
    const report = await publishFile({
      client,
      file: args.file,
      type: flags.type,
      claims,
      source: flags.source,
      dryRun,
      skipInvalid: flags['skip-invalid'],
      definitions,
      stdin,
      output: stderr,
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

  async #readDefinitions(workload: string): Promise<WorkloadDefinitions> {
    const { readWorkloadDefinitions } = await import('../command-line/read-workload-definitions.ts');
    return await readWorkloadDefinitions(workload, {
      version: this.config.version,
      debug: this.argv.includes('--debug'),
    });
  }
}
