import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { printable, printableLines } from '../terminal/printable.ts';
import { readFault } from '../terminal/read-input.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import type { Part } from './contents.ts';

export interface PartOutput {
  /**
   * Whether the output is a terminal, which gets text without control characters. Programs get text
   * unchanged.
   */
  readonly isTerminal: boolean;
  readonly write: (data: string | Uint8Array) => void;
  readonly tell: (lines: readonly string[]) => void;
  /** File for data; undefined saves none. */
  readonly file: string | undefined;
}

/**
 * Prints texts, each with a final line break, and saves data to the file; several get numbers
 * (`chart-2.png`). Throws ERR_BAD_ARGUMENT when the file cannot be written, or when there is no data for it.
 */
export async function printParts(
  parts: readonly Part[],
  { isTerminal, write, tell, file }: PartOutput,
): Promise<void> {
  const bytes = parts.filter((part) => part.is === 'bytes');
  if (file !== undefined && bytes.length === 0)
    throw badArgument('--output: the result has only text, and no data to save');
  let saved = 0;
  for (const part of parts) {
    if (part.is === 'text') {
      const text = isTerminal ? printableLines(part.text) : part.text;
      write(text.endsWith('\n') ? text : `${text}\n`);
      continue;
    }
    const data = Buffer.from(part.base64, 'base64');
    const about = printable(`${part.what} (${part.mimeType}, ${data.length} bytes)`);
    if (file === undefined) {
      tell([`${about} is not shown; --output FILE saves it`]);
      continue;
    }
    saved += 1;
    const place = bytes.length === 1 ? file : numbered(file, saved);
    try {
      await writeFile(place, data);
    } catch (error) {
      throw badArgument(`--output: ${place} cannot be written: ${readFault(error)}`);
    }
    tell([`${about} is saved as ${place}`]);
  }
}

function numbered(file: string, number: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${number}${ext}`);
}

/**
 * Returns JSON with control characters escaped, so that it cannot affect a terminal; it parses to the same
 * value.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, (match) =>
    [...Array(match.length).keys()]
      .map((at) => `\\u${match.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
