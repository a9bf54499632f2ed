import { escapeCell } from './escape-cell.ts';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDER = 'docs/decisions';
const RECORDS = 'bench/records';
const COLUMNS = `| number | decision | date | status |
|---|---|---|---|
`;
const HEAD = `# Decisions

Each page records one decision: its context, what was decided, and what was tried. A later decision says which earlier one it replaces.

${COLUMNS}`;
const RECORDS_HEAD = `
## Performance records

These pages record measurements and what was tried to improve them. They share the numbers of the decisions.
Numbers that are in neither table were reserved and not used.

${COLUMNS}`;

/** Returns the index of the decisions and of the performance records. Throws if one has no title, status or date. */
export async function renderDecisions(root: string): Promise<string> {
  const decisions = await renderRows(root, FOLDER);
  const records = await renderRows(root, RECORDS);
  return `${HEAD}${decisions.join('\n')}\n${RECORDS_HEAD}${records.join('\n')}\n`;
}

async function renderRows(root: string, folder: string): Promise<readonly string[]> {
  const rows: string[] = [];
  const files = (await readdir(path.join(root, folder))).filter((file) => /^\d/.test(file));
  for (const file of files.toSorted()) {
    const text = await readFile(path.join(root, folder, file), 'utf8');
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
    const [, status, date] = /^(Accepted|Replaced|Withdrawn), (\d{4}-\d{2}-\d{2})$/m.exec(text) ?? [];
    if (title === undefined || date === undefined) {
      throw new Error(`${folder}/${file}: expected "# NUMBER. TITLE" and a line "Accepted, YYYY-MM-DD"`);
    }
    rows.push(
      `| ${number} | [${escapeCell(title)}](${path.posix.relative(FOLDER, `${folder}/${file}`)}) | ${date} | ${status?.toLowerCase()} |`,
    );
  }
  return rows;
}
