import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Relative modules in declarations: `from './a.ts'`, `import('./a.ts')`, `import './a.ts'`. */
const MODULES = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/**
 * The declarations, by their absolute paths, that somebody who imports a package comes to: those it
 * names in its `exports`, and what these import. The rest is of modules that nobody outside can name.
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

/** What stands under the condition `types`, however deep. */
function typesIn(exported: unknown): readonly string[] {
  if (typeof exported !== 'object' || exported === null) return [];
  return Object.entries(exported).flatMap(([condition, target]: [string, unknown]) =>
    condition === 'types' && typeof target === 'string' ? [target] : typesIn(target),
  );
}
