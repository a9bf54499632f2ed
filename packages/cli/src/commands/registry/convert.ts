import path from 'node:path';
import { boolean, string } from '../../command-line/flags/flag-types.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { printable } from '../../terminal/printable.ts';
import { nameOfInput, readFault, readInput, STANDARD_INPUT } from '../../terminal/read-input.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { convertCatalogueFile } from '@portolan/registry-client/lookup';
import { writeOutput } from '@portolan/workload';

const MAX_BYTES = 64 * 2 ** 20;

export default class RegistryConvert extends WorkloadCommand {
  static override summary = 'Convert a catalogue from the legacy to the upstream format';
  static override description =
    'Without --in, the command reads the catalogue from standard input. Without --out and --in-place, it ' +
    'writes to standard output. A catalogue in the upstream format is copied unchanged. --in-place keeps the ' +
    'old file with the extension `.bak`.';
  static override examples = [
    '<%= config.bin %> registry convert --in registry.json --out upstream.json',
    '<%= config.bin %> registry convert --in registry.json --in-place',
    '<%= config.bin %> registry convert < registry.json > upstream.json',
  ];
  static override flags = {
    in: string({ description: 'catalogue to read', helpValue: 'FILE', fallback: 'standard input' }),
    out: string({ description: 'file to write', helpValue: 'FILE' }),
    'in-place': boolean({ description: 'overwrite the input file' }),
    'no-backup': boolean({ description: 'keep no copy of the overwritten file' }),
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(RegistryConvert);
    const { in: from = STANDARD_INPUT, out } = flags;
    const inPlace = flags['in-place'] === true;
    const isPiped = from === STANDARD_INPUT;
    if (isPiped && inPlace) throw badArgument('--in-place needs --in');
    if (isPiped && process.stdin.isTTY)
      throw badArgument('found neither --in nor a pipe; expected a catalogue from one of them');
    if (out !== undefined && inPlace) throw badArgument('--out and --in-place cannot be combined');
    if (flags['no-backup'] === true && !inPlace) throw badArgument('--no-backup needs --in-place');
    const to = out ?? (inPlace ? from : undefined);
    const { text, servers, notes, backup, unchanged } = await convertCatalogueFile(
      isPiped ? nameOfInput(from) : path.resolve(from),
      {
        ...(isPiped ? { text: await readPiped() } : {}),
        to: to === undefined ? undefined : path.resolve(to),
        keepsBackup: inPlace && flags['no-backup'] !== true,
        clock: () => new Date(),
        write: async (file, content) => await writeOutput(file, content, 0o755, 0o644),
      },
    );
    this.tell(notes.map((note) => `note: ${printable(note)}`));
    if (to === undefined) this.log(text.trimEnd());
    else if (!unchanged || !inPlace)
      this.tell([
        `${servers} servers written to ${to}${backup === undefined ? '' : `; the old file is ${backup}`}`,
      ]);
    return 0;
  }
}

async function readPiped(): Promise<string> {
  try {
    const bytes = await readInput(STANDARD_INPUT, process.stdin, MAX_BYTES);
    if (bytes !== undefined) return bytes.toString('utf8');
  } catch (error) {
    throw badArgument(`standard input cannot be read: ${readFault(error)}`);
  }
  throw badArgument('standard input holds more than 64 MiB');
}
