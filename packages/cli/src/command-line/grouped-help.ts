import { type Command, CommandHelp, Help } from '@oclif/core';
import { ENVIRONMENT } from './environment-help.ts';
import { renderRows } from './render-rows.ts';

/** Sections of the root help, with commands and topics in the order in which a new user needs them. */
const SECTIONS: readonly (readonly [title: string, names: readonly string[]])[] = [
  [
    'WORKLOAD COMMANDS',
    [
      'run',
      'plan',
      'list',
      'status',
      'logs',
      'stop',
      'start',
      'restart',
      'change',
      'update',
      'rm',
      'export',
      'apply',
      'diff',
      'inspect',
      'login',
      'logout',
    ],
  ],
  [
    'MORE WORKLOAD COMMANDS',
    [
      'search',
      'mcp',
      'virtual',
      'proxy',
      'build',
      'authz',
      'secret',
      'trust',
      'lock',
      'client',
      'group',
      'service',
      'config',
      'doctor',
    ],
  ],
  [
    'REGISTRY COMMANDS',
    [
      'serve',
      'init',
      'publish',
      'entries',
      'sources',
      'registries',
      'registry',
      'claims',
      'migrate',
      'backup',
      'restore',
    ],
  ],
  ['OTHER COMMANDS', ['plugins', 'kinds', 'autocomplete', 'version']],
];

/** Flag groups in the order of the help; groups that are not listed follow at the end. */
const FLAG_GROUPS = [
  'WORKLOAD',
  'NETWORK',
  'IMAGE',
  'TRANSPORT AND PROXY',
  'REMOTE SERVER',
  'CHANGE',
  'START',
];

class OrderedCommandHelp extends CommandHelp {
  override renderList(...[rows, options]: Parameters<CommandHelp['renderList']>): string {
    const { indentation, stripAnsi = false } = options;
    const pairs = rows.map(([name = '', text]): [string, string | undefined] => [name, text]);
    return renderRows(pairs, { width: this.opts.maxWidth - indentation, stripAnsi });
  }

  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections();
    // The framework has replaced the colons of the ID with spaces.
    const environment = ENVIRONMENT.get(this.command.id.replaceAll(' ', ':'));
    if (environment === undefined) return sections;
    const rows = environment.map(([name, text]): [string, string] => [name, text]);
    const after = sections.findIndex(({ header }) => header === 'FLAGS') + 1;
    const header = 'ENVIRONMENT';
    return sections.toSpliced(after, 0, { header, generate: () => [{ header, body: rows }] });
  }

  protected override defaultUsage(): string {
    return usageOf(this.command);
  }

  protected override examples(
    ...[examples]: Parameters<CommandHelp['examples']>
  ): ReturnType<CommandHelp['examples']> {
    const width = this.opts.maxWidth - this.indentSpacing;
    return super
      .examples(examples)
      ?.split('\n')
      .map((line) => breakCommand(this.render(line), width))
      .join('\n');
  }

  protected override groupFlags(flags: Command.Flag.Any[]): ReturnType<CommandHelp['groupFlags']> {
    const { flagGroups, mainFlags } = super.groupFlags(flags);
    const rankOf = (group: string): number => FLAG_GROUPS.indexOf(group) + 1 || FLAG_GROUPS.length + 1;
    const groups = Object.entries(flagGroups).toSorted(([left], [right]) => rankOf(left) - rankOf(right));
    return { flagGroups: Object.fromEntries(groups), mainFlags };
  }
}

/** oclif's help, with the commands at the root in sections instead of two long lists. */
export class GroupedHelp extends Help {
  protected override CommandHelpClass: typeof CommandHelp = OrderedCommandHelp;

  override async showRootHelp(): Promise<void> {
    this.log(this.formatRoot());
    // Includes the topic `plugins`, whose commands are not loaded for the help.
    const topics = this.config.topics.filter(({ name, hidden }) => !name.includes(':') && hidden !== true);
    const about = new Map(topics.map(({ name, description = '' }) => [name, description]));
    for (const command of this.sortedCommands) {
      if (!command.id.includes(':')) about.set(command.id, this.#summaryOf(command));
    }
    for (const [title, names] of [...SECTIONS, ['PLUGIN COMMANDS', othersOf(about)] as const]) {
      const lines = names.flatMap((name) => {
        const description = about.get(name);
        return description === undefined ? [] : [[name, description.split('\n', 1)[0] ?? '']];
      });
      if (lines.length === 0) continue;
      const list = this.renderList(lines, {
        indentation: 2,
        spacer: '\n',
        stripAnsi: this.opts.stripAnsi === true,
      });
      this.log(`\n${this.section(title, list)}`);
    }
    this.log('\n`portolan COMMAND --help` shows the help of a command.\n');
  }

  #summaryOf(command: Command.Loadable): string {
    return this.summary(command) ?? '';
  }
}

/** Returns the usage line of a command without its flags, which have a list of their own. */
function usageOf({ id, args, strict }: Pick<Command.Loadable, 'id' | 'args' | 'strict'>): string {
  const words = Object.values(args)
    .filter(({ hidden }) => hidden !== true)
    .map(({ name, required, multiple }) => {
      const word = `${name.toUpperCase()}${multiple === true || strict === false ? '...' : ''}`;
      return required === true ? word : `[${word}]`;
    });
  return [id.replaceAll(':', ' '), ...words, '[FLAGS]'].join(' ');
}

/** Breaks a command before flags into as many lines as it needs; a shell reads them as one command. */
function breakCommand(line: string, width: number): string {
  if (!line.startsWith('$ ') || line.length <= width) return line;
  const lines: string[] = [];
  for (const part of line.split(/ (?=--?[a-z])/)) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(part);
    else if (`${last} ${part} \\`.length > width) lines.push(`    ${part}`);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines.join(' \\\n');
}

function othersOf(about: ReadonlyMap<string, string>): readonly string[] {
  const named = new Set(SECTIONS.flatMap(([, names]) => names));
  return [...about.keys()].filter((name) => !named.has(name)).toSorted();
}
