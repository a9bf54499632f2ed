import { escapeCell } from './escape-cell.ts';
import { FLAG_GROUPS, flagRow, RUN_FLAG_NAMES } from '@portolan/run-spec';

const HEAD = `# Flags of run

Every flag of \`portolan run\` that says what is run, and how; \`portolan run --help\` also shows those that say how it is
started. A flag ranks over the registry entry, which ranks over the user's settings and the default. \`--from-config\` takes
the place of all of them: its file has the fields named here.

`;

/** Returns the reference page of the flags, from the table that defines them. */
export function renderRunFlags(): string {
  const groups = FLAG_GROUPS.map((group) => {
    const rows = RUN_FLAG_NAMES.map(flagRow).filter((row) => row.group === group);
    return [
      `## ${group.charAt(0)}${group.slice(1).toLowerCase()}`,
      '',
      '| flag | what it says | default | field of an exported file | in a registry entry |',
      '|---|---|---|---|---|',
      ...rows.map(
        ({ flag, char, helpValue, description, fallback = '', field, inEntry = '', only }) =>
          `| \`${char === undefined ? '' : `-${char}, `}--${flag}${helpValue === undefined ? '' : ` ${helpValue}`}\` | ${escapeCell(description)}${only === 'remote' ? ' (remote servers only)' : ''} | ${escapeCell(fallback)} | \`${field}\` | ${inEntry === '' ? '' : `\`${inEntry}\``} |`,
      ),
      '',
    ].join('\n');
  });
  return HEAD + groups.join('\n');
}
