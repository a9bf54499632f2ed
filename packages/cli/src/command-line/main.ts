import { Config, flush, type Interfaces } from '@oclif/core';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { commandLineFault } from './command-line-fault.ts';
import { asksForDebug, withDebugBehind } from './debug-words.ts';
import { unknownFlag } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { findCommand } from './find-command.ts';
import { endOfPluginCommand } from './plugin-command-end.ts';
import { keepNpmAside, PLUGINS_PACKAGE, withWholePaths } from './plugins-command.ts';
import { processEnd } from './process-end.ts';
import { describeError } from '../terminal/report-error.ts';

/** Of this package: the built file lies elsewhere in it than this one. */
const manifestFile = findPackageJSON(import.meta.url) ?? '';

/**
 * Runs the command that the arguments name and ends the process with its exit
 * status, whatever plugins may have left running or try to end it with. `commands` is the folder of
 * the command files, from the root of this package.
 */
export async function main(argv: readonly string[], commands: string): Promise<never> {
  const [first] = argv.filter((word) => !word.startsWith('-'));
  // Before the framework's own listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    // A server goes on without whoever read its audit log; the plugin that writes it is told as well.
    if (first === 'serve') return;
    // A reader such as `head` has left; nothing is wrong.
    if (error.code === 'EPIPE') processEnd.end(0);
    process.stderr.write(`error: standard output cannot be written: ${error.message}\n`);
    processEnd.end(1);
  });
  processEnd.watch({ debug: asksForDebug(argv, process.env) });
  const words = withWholePaths(withoutAliases(withDebugBehind(argv)), process.cwd());
  return processEnd.end(await runCommandLine(words, commands));
}

async function runCommandLine(argv: readonly string[], commands: string): Promise<number> {
  let isOurs = true;
  const debug = asksForDebug(argv, process.env);
  try {
    const config = await loadConfig(commands, pluginsFor(argv));
    const found = await findCommand(argv, config.commands).catch(async () => {
      // Those that were not loaded may be meant.
      return await findCommand(argv, (await loadConfig(commands, [PLUGINS_PACKAGE])).commands);
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

async function loadConfig(commands: string, plugins: readonly string[]): Promise<Config> {
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
  const end = rest.indexOf('--');
  return (end < 0 ? rest : rest.slice(0, end)).some(isHelpFlag);
}

function isHelpFlag(word: string): boolean {
  return /^(?:--help|-h)(?:=(?:1|t|T|TRUE|true|True))?$/.test(word);
}

/** `help serve`, `--version` and `plugins:install` are other ways to say `serve --help`, `version` and `plugins install`. */
function withoutAliases(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv;
  if (first === 'help') return withoutAliases([...rest, '--help']);
  if (first === '--version') return ['version', ...rest];
  // By its first word it is known that it needs more than others.
  if (first.startsWith('plugins:')) return [...first.split(':'), ...rest];
  return argv;
}
