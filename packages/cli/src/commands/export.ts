import { Args, Flags } from '@oclif/core';
import path from 'node:path';
import { boolean } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { type ContextFlags, WorkloadCommand } from '../command-line/workload-command.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { exportAll, exportWorkload, renderAll, renderExport } from '@portolan/workload/operations';

export default class Export extends WorkloadCommand {
  static override summary = 'Export the settings of a workload, or of all workloads, to a file';
  static override description =
    'The file of one workload is for `run --from-config`. It has no values of secrets, only their names in the ' +
    'secret store. The format `k8s` is a Kubernetes object. --all writes a file of all workloads for `portolan ' +
    'apply`: YAML, or JSON if its name ends in .json.';
  static override examples = [
    '<%= config.bin %> export weather ./weather.json',
    '<%= config.bin %> export weather ./weather.yaml --format k8s',
    '<%= config.bin %> export weather - | ssh other-machine portolan run --from-config -',
    '<%= config.bin %> export --all ./workloads.yaml',
  ];
  static override usage = ['export NAME FILE [FLAGS]', 'export --all FILE [FLAGS]'];
  static override args = {
    name: Args.string({ description: 'name of the workload; left out with --all', ignoreStdin: true }),
    file: Args.string({ description: 'file to write; `-` is standard output', ignoreStdin: true }),
  };
  static override flags = {
    all: boolean({ char: 'a', description: 'write all workloads to a file for `portolan apply`' }),
    format: Flags.option({
      description: 'format of the file',
      options: ['json', 'k8s'] as const,
      default: 'json' as const,
    })(),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Export);
    if (flags.all === true) return await this.#exportAll(fileOfAll(args, this.isTyped('--format')), flags);
    const { name, file } = args;
    if (name === undefined || file === undefined)
      throw badArgument(
        `export: found ${name === undefined ? 'no name' : 'no file'}; expected NAME FILE, or --all FILE`,
      );
    return await this.withWorkloads(flags, async (context) => {
      if (file === '-') return this.#write(await renderExport(name, flags.format, context));
      const { file: written, warnings } = await exportWorkload(name, file, flags.format, context);
      this.tell([...warnings.map((warning) => `warning: ${warning}`), `${name} is exported to ${written}`]);
    });
  }

  async #exportAll(file: string, flags: ContextFlags): Promise<number> {
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const format = file.endsWith('.json') ? ('json' as const) : ('yaml' as const);
      const options = { name: nameOfWorkloadsFile(file), format };
      if (file === '-') return this.#write(await renderAll(options, context, signal));
      const { file: written, warnings } = await exportAll(file, options, context, signal);
      this.tell([
        ...warnings.map((warning) => `warning: ${warning}`),
        `all workloads are exported to ${written}`,
      ]);
    });
  }

  #write({ text, warnings }: { readonly text: string; readonly warnings: readonly string[] }): void {
    this.tell(warnings.map((warning) => `warning: ${warning}`));
    this.log(text.trimEnd());
  }
}

/** Returns the file of `export --all FILE`. Throws ERR_BAD_ARGUMENT. */
function fileOfAll(
  { name, file }: { readonly name: string | undefined; readonly file: string | undefined },
  hasFormat: boolean,
): string {
  if (hasFormat)
    throw badArgument(
      '--format does not apply to --all: found both; expected a file name that ends in .yaml or .json',
    );
  if (file !== undefined) throw badArgument('--all: found a name of a workload; expected --all FILE');
  if (name === undefined) throw badArgument('--all: found no file; expected --all FILE');
  return name;
}

/**
 * Returns the `name` of the workloads file: the name of the file without its extension, or `workloads` if that is not a
 * valid name.
 */
function nameOfWorkloadsFile(file: string): string {
  const name = path.basename(file).replace(/\.(?:ya?ml|json)$/, '');
  return /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) ? name : 'workloads';
}
