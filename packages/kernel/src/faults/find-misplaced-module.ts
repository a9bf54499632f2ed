import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A statement that only an ES module may have. */
const EXPORTS = /^\s*export\s+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])/m;
/** How CommonJS exports. A file without it brings nothing as CommonJS. */
const COMMONJS_EXPORTS = /\bmodule\.exports\b|\bexports\s*[.[=]|^\s*export\s*=/m;

/**
 * The package.json that has Node.js read an ES module as CommonJS, with
 * `"type": "commonjs"` as `npm init` writes it; undefined when there is none.
 * Asked before the import: Node.js itself would print a warning of its own.
 */
export async function findMisplacedModule(file: string): Promise<string | undefined> {
  if (!['.ts', '.js'].includes(extname(file))) return undefined; // .mts, .cjs and the like say what they are
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

/** The name of a file with which it is a module anywhere: `hook.mts` for `hook.ts`. */
export function moduleName(file: string): string {
  return basename(file).replace(/\.([jt]s)$/, '.m$1');
}
