import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/**
 * Returns the script of the pages: the compiled file of an installation, or the TypeScript source of a
 * checkout without its types.
 */
export async function readConsoleScript(): Promise<string> {
  const isSource = import.meta.filename.endsWith('.ts');
  const file = isSource ? '../browser/console-script.ts' : './console-script.js';
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  return isSource ? stripQuietly(text) : text;
}

/** Removes types without Node's experimental warning, which the user of a checkout cannot act on. */
function stripQuietly(text: string): string {
  const emitWarning = process.emitWarning.bind(process);
  // This block is synchronous, so no other warning can be lost.
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
