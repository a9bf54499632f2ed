import { Config, flush, type Interfaces } from '@oclif/core';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commandLineFault } from './command-line-fault.ts';
import { asksForDebug } from './debug-words.ts';
import { unknownFlag } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { findCommand } from './find-command.ts';
import { ownWords } from './own-words.ts';
import { endOfPluginCommand } from './plugin-command-end.ts';
import { keepNpmAside, PLUGINS_PACKAGE } from './plugins-command.ts';
import { describeError } from '../terminal/report-error.ts';

/** What a command line runs against. */
export interface CommandFiles {
  /** The `package.json` of this package. */
  readonly manifestFile: string;
  /** Folder of the command files, from the root of this package. */
  readonly commands: string;
}

/** Runs the command that the words name. Gives its exit status; what is wrong stands on standard error then. */
export async function runCommandLine(argv: readonly string[], files: CommandFiles): Promise<number> {
  let isOurs = true;
  const debug = asksForDebug(argv, process.env);
  try {
    const config = await loadConfig(files, pluginsFor(argv));
    const found = await findCommand(argv, config.commands).catch(async () => {
      // Those that were not loaded may be meant.
      return await findCommand(argv, (await loadConfig(files, [PLUGINS_PACKAGE])).commands);
    });
    if (found !== undefined) isOurs = config.findCommand(found.id)?.pluginName === config.name;
    if (found === undefined || asksForHelp(found.rest)) await showHelp(argv, found?.id, config);
    else {
      // Commands of plugins need not have the flag.
      const words = [...(isOurs && debug ? ['--debug'] : []), ...found.rest];
      const result = await keepNpmAside(argv, () => config.runCommand(found.id, words));
      await outputTaken();
      return isOurs && typeof result === 'number' ? result : 0;
    }
    await outputTaken();
    return 0;
  } catch (error) {
    const end = isOurs ? undefined : endOfPluginCommand(error);
    if (end?.error === undefined && end !== undefined) return end.status;
    const fault = end?.error ?? (await commandLineFault(error)) ?? error;
    const text = describeError(fault, { debug });
    await new Promise<void>((resolve) => {
      process.stderr.write(text, () => resolve());
    });
    return end?.status ?? exitStatusOf(fault);
  }
}

/** Settles when everything on standard output was taken, or its reader has left. */
async function outputTaken(): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<unknown>();
  process.stdout.once('error', resolve);
  await Promise.race([flush(), left]); // the framework would wait for a drain that does not come any more
}

/** Its commands are many files of others; who does not need them is not to wait for them. */
function pluginsFor(argv: readonly string[]): readonly string[] {
  const first = argv.find((word) => !word.startsWith('-')) ?? '';
  return ['plugins', 'completion'].includes(first) ? [PLUGINS_PACKAGE] : [];
}

async function loadConfig(
  { manifestFile, commands }: CommandFiles,
  plugins: readonly string[],
): Promise<Config> {
  // Our own file.
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Interfaces.PJSON;
  // npm, which installs them, would ask its registry for news of itself.
  if (plugins.length > 0) process.env['npm_config_update_notifier'] ??= 'false';
  const pjson = { ...manifest, oclif: { ...manifest.oclif, commands, plugins: [...plugins] } };
  const root = path.dirname(manifestFile);
  return await Config.load({ root, pjson, ignoreManifest: commands.startsWith('./src') });
}

async function showHelp(argv: readonly string[], id: string | undefined, config: Config): Promise<void> {
  const flag = argv.find((word) => word.startsWith('-'));
  if (id === undefined && flag !== undefined && !isHelpFlag(flag)) throw unknownFlag(flag, undefined);
  const words = id?.split(':') ?? argv.filter((word) => !word.startsWith('-'));
  const { GroupedHelp } = await import('./grouped-help.ts');
  await new GroupedHelp(config).showHelp([words.join(':')].filter((word) => word !== ''));
}

function asksForHelp(rest: readonly string[]): boolean {
  return ownWords(rest).some(isHelpFlag);
}

function isHelpFlag(word: string): boolean {
  return /^(?:--help|-h)(?:=(?:1|t|T|TRUE|true|True))?$/.test(word);
}
