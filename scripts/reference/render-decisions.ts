import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDER = 'docs/decisions';
const HEAD = `# Decisions

Each page records one decision: its context, what was decided, and what was tried. A later decision says which earlier one it replaces.
Numbers that are missing were reserved and not used.

| number | decision | date | status |
|---|---|---|---|
`;

/** Returns the index of the decision records. Throws if a record has no title, status or date. */
export async function renderDecisions(root: string): Promise<string> {
  const rows: string[] = [];
  const files = (await readdir(path.join(root, FOLDER))).filter((file) => /^\d/.test(file));
  for (const file of files.toSorted()) {
    const text = await readFile(path.join(root, FOLDER, file), 'utf8');
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
    const [, status, date] = /^(Accepted|Replaced|Withdrawn), (\d{4}-\d{2}-\d{2})$/m.exec(text) ?? [];
    if (title === undefined || date === undefined) {
      throw new Error(`${FOLDER}/${file}: expected "# NUMBER. TITLE" and a line "Accepted, YYYY-MM-DD"`);
    }
    rows.push(
      `| ${number} | [${title.replaceAll('|', '\\|')}](${file}) | ${date} | ${status?.toLowerCase()} |`,
    );
  }
  return `${HEAD}${rows.join('\n')}\n`;
}
