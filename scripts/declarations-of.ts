import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Matches relative modules in declarations: `from './a.ts'`, `import('./a.ts')`, `import './a.ts'`. */
const MODULES = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/**
 * Returns the absolute paths of the declarations that importers of a package can reach: those in `exports`,
 * and their imports.
 */
export async function declarationsOf(
  manifest: Readonly<Record<string, unknown>>,
  directory: string,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  const waiting = typesIn(manifest['exports']).map((file) => path.resolve(directory, file));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const folder = path.dirname(file);
    for (const [, module = ''] of (await readFile(file, 'utf8')).matchAll(MODULES))
      waiting.push(path.resolve(folder, module.replace(/\.[jt]s$/, '.d.ts')));
  }
  return reached;
}

/** Returns the values of the condition `types` at any depth. */
function typesIn(exported: unknown): readonly string[] {
  if (typeof exported !== 'object' || exported === null) return [];
  return Object.entries(exported).flatMap(([condition, target]: [string, unknown]) =>
    condition === 'types' && typeof target === 'string' ? [target] : typesIn(target),
  );
}
