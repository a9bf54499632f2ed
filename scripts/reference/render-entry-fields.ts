import { escapeCell } from './escape-cell.ts';
import {
  ENTRY_FIELDS,
  type EntryField,
  EXTENSION_PATH,
  REMOVED_FIELDS,
} from '../../packages/run-spec/src/registry-entry/entry-fields.ts';

const HEAD = `# Fields of a registry entry

What \`portolan run\` does with each field of \`server.json\`, for every published schema from 2025-07-09 to 2025-12-11. No value is lost
silently: \`run\` uses it, shows it, refuses it with a message, or leaves it out with a line that \`plan\` and \`run\` print.

\`*\` stands for any index or name. A name in brackets is that of the schema of 2025-07-09, which also has the lists
\`runtime_arguments\`, \`package_arguments\` and \`environment_variables\`. *Consent* means that a value can open something
on the machine of the user, who is [asked](../guides/protect/consent.md).

`;

export function renderEntryFields(): string {
  const all = Object.entries(ENTRY_FIELDS);
  const isOf = (prefix: string) => all.filter(([path]) => path.startsWith(prefix));
  const document = all.filter(([path]) => !/^(?:packages|remotes|_meta\.publisher)\./.test(path));
  return [
    HEAD + tableOf('The document', [...document, ...Object.entries(REMOVED_FIELDS)]),
    tableOf('Packages', isOf('packages.')),
    tableOf('Remotes', isOf('remotes.')),
    tableOf(
      'The extension object',
      isOf(EXTENSION_PATH).map(([path, field]) => [path.slice(EXTENSION_PATH.length), field] as const),
      'The object of `_meta` below `io.modelcontextprotocol.registry/publisher-provided`, the vendor and the image, package or URL.',
    ),
  ].join('\n');
}

function tableOf(title: string, fields: readonly (readonly [string, EntryField])[], text?: string): string {
  return [
    `## ${title}`,
    '',
    ...(text === undefined ? [] : [text, '']),
    '| Field | Used or shown | Refused with | Left out with | Consent |',
    '| --- | --- | --- | --- | --- |',
    ...fields.map(([path, field]) => rowOf(path, field)),
    '',
  ].join('\n');
}

function rowOf(
  path: string,
  { used, shown, refused = '', leftOut = '', opens, oldName }: EntryField,
): string {
  const uses = [used, shown === undefined ? undefined : `shown: ${shown}`].filter(
    (part) => part !== undefined,
  );
  const name = `\`${path}\`${oldName === undefined ? '' : ` (\`${oldName}\`)`}`;
  const cells = [name, uses.join('; '), refused, leftOut, opens === true ? 'yes' : ''];
  return `| ${cells.map((cell) => escapeCell(cell)).join(' | ')} |`;
}
