import { Args } from '@oclif/core';
import type { BuildDescription, PackageBuild } from '@portolan/workload';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { badArgument } from '../terminal/terminal-errors.ts';
import { boolean, string, stringArray } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { gatewayImageFlag } from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import { describePackageBuild, buildPackage } from '@portolan/workload/build';
import { formatPackage } from '@portolan/run-spec';

export default class Build extends StartingCommand {
  static override summary = 'Build the image of a package without running it';
  static override description =
    'Standard output has the name of the image. Each combination of package, version and settings is built ' +
    'once. Words after `--` become arguments of every start of the image.';
  static override usage = 'build [FLAGS] SCHEME://PACKAGE [-- ARGS...]';
  static override examples = [
    '<%= config.bin %> build npx://@modelcontextprotocol/server-everything',
    '<%= config.bin %> build uvx://mcp-server-time --tag time:1 -- --local-timezone UTC',
    '<%= config.bin %> build go://./server --dry-run',
  ];
  static override args = {
    package: Args.string({
      name: 'SCHEME://PACKAGE',
      description: 'npx://, uvx:// or go:// with the package or folder',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    tag: string({ char: 't', description: 'additional name for the image', helpValue: 'IMAGE' }),
    output: string({
      char: 'o',
      description: 'write the Dockerfile to this file, without building',
      helpValue: 'FILE',
    }),
    'dry-run': boolean({ description: 'print the Dockerfile, without building', fallback: 'false' }),
    'build-with': stringArray({
      description: 'additional requirement for the build, such as pydantic<2.13; only for uvx; repeatable',
      helpValue: 'REQUIREMENT',
    }),
    'gateway-image': gatewayImageFlag,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args, rest } = await this.readArguments(Build, { takesRest: true });
    const { output, tag, 'dry-run': dryRun = false } = flags;
    const writesOnly = dryRun || output !== undefined;
    if (writesOnly && tag !== undefined)
      throw badArgument('--tag cannot be combined with --dry-run or --output');
    const build: PackageBuild = {
      target: args.package,
      args: rest,
      ...(tag === undefined ? {} : { tag }),
      ...(flags['build-with'] === undefined ? {} : { buildWith: flags['build-with'] }),
    };
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      if (writesOnly) await this.#describe(build, { output, format: flags.format }, context, signal);
      else await this.#build(build, flags.format, context, signal);
    });
  }

  async #describe(
    build: PackageBuild,
    { output, format }: { readonly output: string | undefined; readonly format: string },
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<void> {
    const description = await describePackageBuild(build, context, { signal });
    this.tell(description.notes.map((note) => `note: ${note}`));
    if (output === undefined)
      this.print(format, await documentOf(description), description.dockerfile.trimEnd());
    else {
      await writeFile(output, description.dockerfile).catch((error: unknown) => {
        const fault = error instanceof Error ? error.message : String(error);
        throw badArgument(`--output: ${output} cannot be written: ${fault}`);
      });
      this.tell([`the Dockerfile is written to ${path.resolve(output)}`]);
    }
  }

  async #build(
    build: PackageBuild,
    format: string,
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<void> {
    const progress = this.progress();
    try {
      progress.step('build', `building ${build.target}`);
      const image = await buildPackage(build, context, {
        onProgress: (event) => progress.image(event),
        signal,
      });
      progress.finish();
      this.tell(image.notes.map((note) => `note: ${note}`));
      const { reference, id, built } = image;
      this.print(format, { reference, id, package: formatPackage(image.package), built }, reference);
    } finally {
      progress.clear();
    }
  }
}

async function documentOf(description: BuildDescription): Promise<object> {
  const { tag, baseImages, hosts, allowedHosts, cached, dockerfile, notes } = description;
  return {
    tag: tag ?? null,
    package: formatPackage(description.package),
    base_images: baseImages,
    hosts: hosts.map(({ host, port }) => `${host}:${port}`),
    allowed_hosts: allowedHosts,
    cached,
    dockerfile,
    notes,
  };
}
