import type { Document, LineCounter } from 'yaml';
import path from 'node:path';
import { type UserSettings, badUserSettings, readUserSettings } from '@portolan/run-spec';
import type { Directories } from '../directories.ts';
import { emptyFault } from './change-file.ts';

export function userConfigFile({ config }: Pick<Directories, 'config'>): string {
  return path.join(config, 'config.yaml');
}

export interface UserConfigDocument {
  readonly document: Document;
  readonly settings: UserSettings;
}

/** Throws ERR_USER_SETTINGS for a file of 0 bytes. */
export function requireContent(text: string, file: string): void {
  if (text === '') throw badUserSettings(file, [emptyFault(file)]);
}

/** Parses the user's configuration. Throws ERR_USER_SETTINGS with every problem and its line. */
export async function parseUserConfig(text: string, file: string): Promise<UserConfigDocument> {
  const { parseDocument, LineCounter: Counter } = await import('yaml');
  const lines = new Counter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos: [at] }) => `${placeAt(lines, at)}: ${message}`);
    throw badUserSettings(file, problems);
  }
  return { document, settings: readSettings(document, lines, file) };
}

function readSettings(document: Document, lines: LineCounter, file: string): UserSettings {
  const problems: string[] = [];
  const value = valueOf(document, file);
  const settings = readUserSettings(value, file, (matches) => problems.push(...matches));
  if (problems.length === 0) return settings;
  throw badUserSettings(
    file,
    problems.map((problem) => {
      const line = lineOf(problem, document, lines);
      return line === undefined ? problem : `line ${line}: ${problem}`;
    }),
  );
}

/** Returns the content of the document. The parser rejects aliases that expand without bound. */
function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw badUserSettings(file, [error instanceof Error ? error.message : String(error)]);
  }
}

/**
 * Returns the line number of a problem in the document. The text of a problem begins with the path of the
 * setting: `runtime_configs.npx.additional_packages[0]: found …`.
 */
function lineOf(problem: string, document: Document, lines: LineCounter): number | undefined {
  const place = /^(?<place>.*?): found /s.exec(problem)?.groups?.['place'] ?? '';
  const keys = [
    ...place.matchAll(/\["(?<quoted>(?:[^"\\]|\\.)*)"\]|\[(?<index>\d+)\]|(?<plain>[^.[\]]+)/g),
  ].map(({ groups: { quoted, index, plain } = {} }) =>
    index === undefined ? (quoted ?? plain ?? '') : Number(index),
  );
  for (let length = keys.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(keys.slice(0, length), true);
    const at = startOf(node);
    if (at !== undefined) return lines.linePos(at).line;
  }
  return undefined;
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) {
    return undefined;
  }
  const [start]: readonly unknown[] = node.range;
  return typeof start === 'number' ? start : undefined;
}

function placeAt(lines: LineCounter, at: number): string {
  const { line, col } = lines.linePos(at);
  return `line ${line}, column ${col}`;
}
