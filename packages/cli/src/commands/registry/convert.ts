import path from 'node:path';
import { boolean, string } from '../../command-line/flags/flag-types.ts';
import { badArgument } from '../../errors.ts';
import { printable } from '../../registry-client/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class RegistryConvert extends WorkloadCommand {
  static override summary = 'Rewrite a catalogue of the legacy format in the upstream format';
  static override description =
    'Without --out and --in-place the new catalogue goes to standard output. With --in-place the old one is kept ' +
    'beside it, with `.bak` at its end.';
  static override examples = [
    '<%= config.bin %> registry convert --in registry.json --out upstream.json',
    '<%= config.bin %> registry convert --in registry.json --in-place',
  ];
  static override flags = {
    in: string({ description: 'catalogue to read', helpValue: 'FILE' }),
    out: string({ description: 'file to write', helpValue: 'FILE' }),
    'in-place': boolean({ description: 'write the file that was read' }),
    'no-backup': boolean({ description: 'keep no copy of the file that is written over' }),
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(RegistryConvert);
    const { in: from, out } = flags;
    const inPlace = flags['in-place'] === true;
    if (from === undefined) throw badArgument('--in is missing: it names the catalogue to read');
    if (out !== undefined && inPlace) throw badArgument('--out and --in-place exclude each other');
    if (flags['no-backup'] === true && !inPlace) throw badArgument('--no-backup goes with --in-place');
    const { convertCatalogueFile } = await import('@portolan/workload');
    const to = out ?? (inPlace ? from : undefined);
    const { text, servers, notes, backup } = await convertCatalogueFile(path.resolve(from), {
      to: to === undefined ? undefined : path.resolve(to),
      keepsBackup: inPlace && flags['no-backup'] !== true,
      clock: () => new Date(),
    });
    this.tell(notes.map((note) => `note: ${printable(note)}`));
    if (to === undefined) this.log(text.trimEnd());
    else
      this.tell([
        `${servers} servers written to ${to}${backup === undefined ? '' : `; the old file is ${backup}`}`,
      ]);
    return 0;
  }
}
