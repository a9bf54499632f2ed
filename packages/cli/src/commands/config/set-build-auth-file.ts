import { Args } from '@oclif/core';
import type { AuthFileName } from '@portolan/plugin-api';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { authFile } from '../../command-line/flags/auth-file-argument.ts';
import { boolean, string } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { nameOfInput, readFault, readInput, STANDARD_INPUT } from '../../terminal/read-input.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { chooseProvider } from '@portolan/workload';
import { setAuthFile } from '@portolan/workload/settings';

const MAX_BYTES = 1024 * 1024;

export default class ConfigSetBuildAuthFile extends WorkloadCommand {
  static override summary = 'Store a credentials file for package builds';
  static override description =
    'The secret store keeps the content. npx:// builds get .npmrc, .yarnrc and .netrc; uvx:// and go:// ' +
    'builds get .netrc. The files are only in the home folder of the build, never in an image. An earlier ' +
    'file is replaced.';
  static override usage = 'config set-build-auth-file NAME --stdin | --file PATH';
  static override examples = [
    '<%= config.bin %> config set-build-auth-file npmrc --file ~/.npmrc',
    '<%= config.bin %> config set-build-auth-file netrc --stdin < netrc.txt',
  ];
  static override args = {
    ...authFile,
    content: Args.string({ hidden: true, multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    stdin: boolean({ description: 'read the content from standard input' }),
    file: string({ description: 'read the content from this file', helpValue: 'PATH' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigSetBuildAuthFile);
    if (args.content !== undefined) {
      throw badArgument(
        'found the content as an argument, which other users of this machine can see; expected --stdin or --file PATH',
      );
    }
    if ((flags.stdin === true) === (flags.file !== undefined))
      throw badArgument('expected either --stdin or --file PATH');
    // SAFETY: the parser rejects other names.
    const name = args.file as AuthFileName;
    return await this.withWorkloads(flags, async (context, signal) => {
      chooseProvider(context); // fails before the command reads any input
      await setAuthFile(name, await readContent(flags.file ?? STANDARD_INPUT), context, signal);
      this.tell([`builds get .${name}`]);
    });
  }
}

async function readContent(file: string): Promise<string> {
  const shown = nameOfInput(file);
  const bytes = await readInput(file, process.stdin, MAX_BYTES).catch((error: unknown) => {
    throw badArgument(`${shown} cannot be read: ${readFault(error)}`);
  });
  if (bytes === undefined) throw badArgument(`${shown} cannot be used: it is too long`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badArgument(`${shown} cannot be used: it is not UTF-8 text`);
  }
}
