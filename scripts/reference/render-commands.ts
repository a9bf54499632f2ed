import { escapeCell } from './escape-cell.ts';
import path from 'node:path';
import type { Command } from '@oclif/core';
import { ENVIRONMENT } from '../../packages/cli/src/command-line/environment-help.ts';
import { loadCommands } from '../../packages/cli/src/command-line/load-commands.ts';

/** Group of the flags that every command has, in the help of oclif. */
const GLOBAL = 'GLOBAL';
const FOLDER = 'docs/reference/commands';
const INDEX_HEAD = `# Commands

Every command of \`portolan\`, as \`portolan COMMAND --help\` shows it.

| command | what it does |
|---|---|
`;

type Flag = Command.Loadable['flags'][string];

/** Returns a reference page for each command, and their index, by path from the root. */
export async function renderCommands(root: string): Promise<readonly (readonly [string, string])[]> {
  const manifestFile = path.join(root, 'packages/cli/package.json');
  const { commands } = await loadCommands({ manifestFile, commands: './src/commands' }, []);
  const own = commands
    .filter(({ hidden, pluginName }) => !hidden && pluginName !== '@oclif/plugin-autocomplete')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = own.map(
    ({ id, summary = '' }) => `| [\`${nameOf(id)}\`](${fileOf(id)}) | ${escapeCell(fill(summary, id))} |`,
  );
  return [
    [`${FOLDER}/index.md`, `${INDEX_HEAD}${rows.join('\n')}\n`],
    ...own.map((command) => [`${FOLDER}/${fileOf(command.id)}`, renderCommand(command)] as const),
  ];
}

function renderCommand(command: Command.Loadable): string {
  const { id, summary = '', description = '' } = command;
  const usages = [command.usage ?? defaultUsage(command)].flat().map((line) => `portolan ${fill(line, id)}`);
  const flags = Object.values(command.flags).filter(({ hidden }) => hidden !== true);
  const groups = Map.groupBy(flags, ({ helpGroup = 'Flags' }) => helpGroup);
  const own = [...groups].toSorted(([a], [b]) => Number(a === GLOBAL) - Number(b === GLOBAL));
  const variables = ENVIRONMENT.get(id) ?? [];
  const sections = [
    `# portolan ${nameOf(id)}`,
    fill(summary, id),
    `\`\`\`text\n${usages.join('\n')}\n\`\`\``,
    ...paragraphs(fill(description, id)),
    ...renderArguments(command),
    ...own.map(([group, rows]) =>
      table(
        group === GLOBAL ? 'Global flags' : capitalize(group),
        ['flag', 'what it does'],
        rows.map(flagRow),
      ),
    ),
    ...(variables.length === 0
      ? []
      : [
          table(
            'Environment variables',
            ['variable', 'what it does'],
            variables.map(([name, text]) => [`\`${name}\``, text]),
          ),
        ]),
    ...renderExamples(command),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function renderArguments({ args }: Command.Loadable): readonly string[] {
  const shown = Object.values(args).filter(({ hidden }) => hidden !== true);
  if (shown.length === 0) return [];
  const rows = shown.map(({ name, description = '' }) => [`\`${name.toUpperCase()}\``, description] as const);
  return [table('Arguments', ['argument', 'what it is'], rows)];
}

function renderExamples({ id, examples = [] }: Command.Loadable): readonly string[] {
  if (examples.length === 0) return [];
  const shown = examples.map((example) => {
    const { description, command } =
      typeof example === 'string' ? { description: undefined, command: example } : example;
    const line = `\`\`\`sh\n${fill(command, id)}\n\`\`\``;
    return description === undefined ? line : `${capitalize(fill(description, id))}:\n\n${line}`;
  });
  return ['## Examples', ...shown];
}

function flagRow(flag: Flag): readonly [string, string] {
  const { name, char, description = '', summary = description } = flag;
  const short = char === undefined ? '' : `-${char}, `;
  const value = flag.type === 'option' ? `=${[flag.helpValue ?? name.toUpperCase()].flat().join(' ')}` : '';
  const values = flag.type === 'option' && flag.options !== undefined ? `: ${flag.options.join(', ')}` : '';
  const variable = flag.env === undefined ? '' : ` Environment variable: \`${flag.env}\`.`;
  const fallback = typeof flag.default === 'string' ? ` Default: \`${flag.default}\`.` : '';
  return [
    `\`${short}--${name}${value}\``,
    `${summary}${values}.${fallback}${variable}`.replaceAll('..', '.'),
  ];
}

function table(
  title: string,
  head: readonly [string, string],
  rows: readonly (readonly [string, string])[],
): string {
  const lines = rows.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`);
  return `## ${title}\n\n| ${head.join(' | ')} |\n|---|---|\n${lines.join('\n')}`;
}

/** Splits the description into paragraphs of Markdown. */
function paragraphs(text: string): readonly string[] {
  return text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/</g, '&lt;').trim());
}

function defaultUsage({ id, args }: Command.Loadable): string {
  const words = Object.values(args).map(({ name, required }) =>
    required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return [nameOf(id), ...words, '[FLAGS]'].join(' ');
}

/** Fills oclif's template values. */
function fill(text: string, id: string): string {
  return text
    .replaceAll(/<%=\s*config\.bin\s*%>/g, 'portolan')
    .replaceAll(/<%=\s*command\.id\s*%>/g, nameOf(id))
    .trim();
}

function nameOf(id: string): string {
  return id.replaceAll(':', ' ');
}

function fileOf(id: string): string {
  return `${id.replaceAll(':', '-')}.md`;
}

function capitalize(text: string): string {
  const lower = text === text.toUpperCase() ? text.toLowerCase() : text;
  return lower.slice(0, 1).toUpperCase() + lower.slice(1);
}
