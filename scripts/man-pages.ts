// Writes the manual pages of the compiled CLI, made of what its help is made of: `node scripts/man-pages.ts`.
import { type Command, Config, type Interfaces, Plugin } from '@oclif/core';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rendererOf, summaryOf } from '../packages/cli/src/command-line/command-texts.ts';
import { ENVIRONMENT, type EnvironmentHelp } from '../packages/cli/src/command-line/environment-help.ts';
import { usageOf } from '../packages/cli/src/command-line/grouped-help.ts';
import { OTHER_STATUSES } from '../packages/cli/src/command-line/other-statuses.ts';
import { ROOT } from './workspace-packages.ts';

/** What is described; texts as the help has them. */
export interface ManCommand {
  /** `config:check` */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly usage: string;
  readonly args: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly ManFlag[];
  /** Other ways to say it: `plugins add` */
  readonly aliases: readonly string[];
  readonly environment: EnvironmentHelp;
  /** What it ends with beside what all commands end with. */
  readonly statuses: string | undefined;
  readonly examples: readonly { readonly description: string; readonly command: string }[];
}

export interface ManFlag {
  readonly name: string;
  readonly char: string | undefined;
  readonly value: string | undefined;
  readonly description: string;
}

/** Writes `man/portolan.1` and a page for each command. Throws when a command cannot be loaded. */
export async function writeManPages(): Promise<void> {
  const root = path.join(ROOT, 'packages/cli');
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  const config = await Config.load({ root, plugins: new Map([[plugin.name, plugin]]) });
  const { version } = config;
  const commands = config.commands
    .filter(({ id, hidden, aliases }) => !hidden && !aliases.includes(id))
    .map((command) => manCommand(command, config))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const folder = path.join(root, 'man');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(path.join(folder, 'portolan.1'), rootPage(commands, version));
  for (const command of commands) {
    await writeFile(path.join(folder, `${pageName(command.id)}.1`), manPage(command, version));
  }
}

/** What the help says of a command. */
export function manCommand(command: Command.Loadable, config: Interfaces.Config): ManCommand {
  const { id, usage, args, flags, aliases, examples = [] } = command;
  const render = rendererOf(command, config);
  const description = render(command.description ?? '').trim();
  return {
    id,
    summary: summaryOf(command, config),
    // Its first line is the summary of a command that has no other.
    description:
      command.summary === undefined ? description.split('\n').slice(1).join('\n').trim() : description,
    usage: render([usage].flat()[0] ?? usageOf(command)).replace(id, id.replaceAll(':', ' ')),
    args: Object.values(args)
      .filter(({ hidden }) => hidden !== true)
      .map(({ name, description: about = '' }) => ({ name: name.toUpperCase(), description: render(about) })),
    flags: Object.values(flags)
      .filter(({ hidden }) => hidden !== true)
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((flag) => ({
        name: flag.type === 'boolean' && flag.allowNo ? `[no-]${flag.name}` : flag.name,
        char: flag.char,
        value:
          flag.type === 'boolean'
            ? undefined
            : ([flag.helpValue].flat()[0] ?? flag.options?.join('|') ?? 'TEXT'),
        description: render(flag.summary ?? flag.description ?? ''),
      })),
    aliases: aliases.map((alias) => alias.replaceAll(':', ' ')),
    environment: ENVIRONMENT.get(id) ?? [],
    statuses: OTHER_STATUSES.get(id),
    examples: examples.map((example) =>
      typeof example === 'string'
        ? { description: '', command: render(example).trim() }
        : { description: render(example.description), command: render(example.command).trim() },
    ),
  };
}

/** A manual page in roff, which says what the help says. */
export function manPage(command: ManCommand, version: string): string {
  const { id, summary, description, usage, args, flags, aliases, environment, statuses, examples } = command;
  return page(id, version, [
    ['NAME', [`${text(pageName(id))} \\- ${text(summary)}`]],
    ['SYNOPSIS', [`.B ${text(`portolan ${usage}`)}`]],
    ['DESCRIPTION', description === '' ? [] : [text(description)]],
    ['ARGUMENTS', args.flatMap(({ name, description: about }) => item(bold(name), about))],
    ['OPTIONS', flags.flatMap((flag) => item(flagTerm(flag), flag.description))],
    ['ENVIRONMENT', environment.flatMap(([name, about]) => item(bold(name), about))],
    ['ALIASES', aliases.flatMap((alias) => ['.PP', `.B ${text(`portolan ${alias}`)}`])],
    [
      'EXAMPLES',
      examples.flatMap((example) => [
        '.PP',
        ...(example.description === '' ? [] : [text(example.description)]),
        '.nf',
        text(`    ${example.command}`),
        '.fi',
      ]),
    ],
    [
      'EXIT STATUS',
      [
        text('0: done. 1: it failed. 2: the command line or the configuration cannot be used.'),
        ...(statuses === undefined ? [] : [text(statuses)]),
      ],
    ],
    ['SEE ALSO', ['.BR portolan (1)']],
  ]);
}

function rootPage(commands: readonly ManCommand[], version: string): string {
  return page('', version, [
    ['NAME', ['portolan \\- runs MCP servers as workloads, and a registry of MCP servers']],
    ['SYNOPSIS', ['.B portolan', '.I COMMAND', '[FLAGS]']],
    [
      'COMMANDS',
      commands.flatMap(({ id, summary }) => ['.TP', `.BR ${text(pageName(id))} (1)`, text(summary)]),
    ],
    [
      'ENVIRONMENT',
      [
        ...item(bold('PORTOLAN_CONFIG'), 'configuration file'),
        ...item(bold('PORTOLAN_DEBUG'), '1: as --debug'),
        ...item(bold('NO_COLOR'), 'anything: no colours'),
      ],
    ],
  ]);
}

function page(
  id: string,
  version: string,
  sections: readonly (readonly [title: string, lines: readonly string[]])[],
): string {
  const name = pageName(id).toUpperCase();
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return [
    `.TH "${name}" "1" "" "Portolan ${version}" "Portolan"`,
    ...shown.flatMap(([title, lines]) => [`.SH ${title}`, ...lines]),
    '',
  ].join('\n');
}

function flagTerm({ name, char, value }: ManFlag): string {
  const short = char === undefined ? '' : `${bold(`-${char}`)}, `;
  return `${short}${bold(`--${name}`)}${value === undefined ? '' : ` \\fI${escaped(value)}\\fR`}`;
}

function item(term: string, about: string): readonly string[] {
  return ['.TP', term, ...(about === '' ? ['\\&'] : [text(about)])];
}

function bold(word: string): string {
  return `\\fB${escaped(word)}\\fR`;
}

function pageName(id: string): string {
  return ['portolan', ...id.split(':')].filter((word) => word !== '').join('-');
}

/** Lines that roff takes for text, whatever they begin with. */
function text(words: string): string {
  return escaped(words)
    .split('\n')
    .map((line) => (/^\s*[.']/.test(line) ? `\\&${line}` : line))
    .join('\n');
}

function escaped(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}

if (import.meta.main) await writeManPages();
