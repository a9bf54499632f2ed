import type { Declaration } from '@babel/types';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docstringAbove, parseTypeScript } from '../parse-typescript.ts';

/** Export of a module. */
export interface Exported {
  /** Path from the root. */
  readonly file: string;
  /** Docstring; undefined if there is none. */
  readonly about: string | undefined;
}

/**
 * Returns the functions and constants that the matching modules export, by name. Throws TypeError for a
 * duplicate name.
 */
export async function readExports(
  root: string,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, Exported>> {
  const found = new Map<string, Exported>();
  for await (const file of glob([...patterns], { cwd: root })) {
    const text = await readFile(path.join(root, file), 'utf8');
    const module = parseTypeScript(file, text);
    for (const node of module.nodes) {
      if (node.type !== 'ExportNamedDeclaration') continue;
      const about = docstringAbove(module, text, node.start);
      for (const name of namesOf(node.declaration)) {
        if (found.has(name))
          throw new TypeError(`${name} is exported by ${found.get(name)?.file} and ${file}`);
        found.set(name, { file: file.split(path.sep).join('/'), about });
      }
    }
  }
  return found;
}

function namesOf(declaration: Declaration | null | undefined): readonly string[] {
  if (declaration?.type === 'FunctionDeclaration') return declaration.id ? [declaration.id.name] : [];
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
}
