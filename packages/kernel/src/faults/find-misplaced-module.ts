import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';

const EXPORTS = /^\s*export\s+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])/m;
/** Matches the exports of a CommonJS module, which distinguish it from an ES module. */
const COMMONJS_EXPORTS = /\bmodule\.exports\b|\bexports\s*[.[=]|^\s*export\s*=/m;

/**
 * Returns the package.json whose `"type": "commonjs"` makes Node.js load an ES module as CommonJS. Runs
 * before the import, because Node.js would print its own warning.
 */
export async function findMisplacedModule(file: string): Promise<string | undefined> {
  // extensions such as .mts and .cjs are unambiguous
  if (!['.ts', '.js'].includes(extname(file))) return undefined;
  const packageJson = findPackageJSON(pathToFileURL(file).href);
  if (packageJson === undefined || basename(packageJson) !== 'package.json') return undefined;
  if (!(await saysCommonJs(packageJson))) return undefined;
  const text = await readFile(file, 'utf8');
  return EXPORTS.test(text) && !COMMONJS_EXPORTS.test(text) ? packageJson : undefined;
}

async function saysCommonJs(packageJson: string): Promise<boolean> {
  const description: unknown = JSON.parse(await readFile(packageJson, 'utf8'));
  return Reflect.get(Object(description), 'type') === 'commonjs';
}

/**
 * Returns the file name that makes Node.js load a file as an ES module in any folder: `hook.mts` for
 * `hook.ts`.
 */
export function moduleName(file: string): string {
  return basename(file).replace(/\.([jt]s)$/, '.m$1');
}
