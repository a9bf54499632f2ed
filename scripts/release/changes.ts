import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Sections of a version in `CHANGELOG.md`, in their order. The suffix of a change file is the name in lower case. */
export const SECTIONS = ['Breaking', 'Added', 'Changed', 'Fixed', 'Security', 'Deprecated'] as const;

/** Maximum number of characters of a line in a change file. */
export const MAX_CHANGE_LENGTH = 200;

/** A change file: `changes/NAME.SECTION.md`, one change a line. */
export interface Change {
  /** Path relative to the root of the repository. */
  readonly file: string;
  readonly section: (typeof SECTIONS)[number];
  readonly lines: readonly string[];
}

/** Reads all change files, sorted by name. Faults name the file and what to write. */
export async function readChanges(
  root: string,
): Promise<{ readonly changes: readonly Change[]; readonly faults: readonly string[] }> {
  const names: string[] = [];
  for await (const entry of glob('changes/**', { cwd: root, withFileTypes: true })) {
    const file = path.relative(root, path.join(entry.parentPath, entry.name));
    if (entry.isFile() && file !== 'changes/README.md') names.push(file);
  }
  const changes: Change[] = [];
  const faults: string[] = [];
  for (const file of names.toSorted()) {
    const [, suffix] = /^changes\/[a-z0-9][a-z0-9-]*\.([a-z]+)\.md$/.exec(file) ?? [];
    const section = SECTIONS.find((name) => name.toLowerCase() === suffix);
    if (section === undefined) {
      const suffixes = SECTIONS.map((name) => name.toLowerCase()).join(', ');
      faults.push(`${file}: the name must be changes/NAME.SECTION.md, with a section of ${suffixes}`);
      continue;
    }
    const text = await readFile(path.join(root, file), 'utf8');
    const lines = text.replace(/\n$/, '').split('\n');
    faults.push(
      ...lines.flatMap((line, at) => findLineFaults(line).map((fault) => `${file}:${at + 1}: ${fault}`)),
    );
    changes.push({ file, section, lines });
  }
  return { changes, faults };
}

function findLineFaults(line: string): readonly string[] {
  const faults: string[] = [];
  if (line.trim() === '') faults.push('an empty line; write one change a line');
  if (line.length > MAX_CHANGE_LENGTH)
    faults.push(`${line.length} characters; at most ${MAX_CHANGE_LENGTH} are allowed`);
  if (/^\s*(?:[-*#]\s|\d+\.\s)/.test(line)) faults.push('a list marker or heading; write the sentence only');
  if (/^\s|\s$/.test(line)) faults.push('white space at the start or the end');
  if (/\S$/.test(line) && !/[.!?)`*]$/.test(line)) faults.push('no full stop at the end');
  return faults;
}

/** Returns the version after the current one: breaking and added changes raise the minor number before 1.0. */
export function nextVersion(current: string, changes: readonly Change[]): string {
  const [major = 0, minor = 0, patch = 0] = current.split('.').map(Number);
  const has = (...sections: readonly string[]): boolean =>
    changes.some(({ section }) => sections.includes(section));
  if (has('Breaking') && major > 0) return `${major + 1}.0.0`;
  if (has('Breaking', 'Added', 'Deprecated')) return `${major}.${minor + 1}.0`;
  return `${major}.${minor}.${patch + 1}`;
}

/** Returns the part of `CHANGELOG.md` for a version, with its heading. */
export function renderRelease(version: string, date: string, changes: readonly Change[]): string {
  const parts = SECTIONS.flatMap((section) => {
    const lines = changes.filter((change) => change.section === section).flatMap((change) => change.lines);
    return lines.length === 0 ? [] : [`### ${section}\n\n${lines.map((line) => `- ${line}\n`).join('')}`];
  });
  return `## ${version} - ${date}\n\n${parts.join('\n')}\n`;
}

/** Returns the changelog with a part before that of the newest version. */
export function insertRelease(changelog: string, part: string): string {
  const newest = changelog.search(/^## /m);
  if (newest < 0) throw new Error('CHANGELOG.md has no heading of a version');
  return `${changelog.slice(0, newest)}${part}${changelog.slice(newest)}`;
}

/** Returns the part of a version without its heading. Throws when the changelog does not have the version. */
export function readRelease(changelog: string, version: string): string {
  const parts = changelog.split(/^(?=## )/m);
  const part = parts.find((text) => text.startsWith(`## ${version} `));
  if (part === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version} - DATE"`);
  return `${part.slice(part.indexOf('\n')).trim()}\n`;
}
