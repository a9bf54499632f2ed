import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/** The script of the pages: compiled beside this module where Portolan is installed, and from its TypeScript in a checkout. */
export async function readConsoleScript(): Promise<string> {
  const isSource = import.meta.filename.endsWith('.ts');
  const file = isSource ? '../browser/console-script.ts' : './console-script.js';
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  return isSource ? stripQuietly(text) : text;
}

/** Node says once a process that this is experimental; no user of a checkout can do anything about it. */
function stripQuietly(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  // Nothing else runs meanwhile that could warn of something.
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
