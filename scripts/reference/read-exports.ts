import type { Declaration } from '@babel/types';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docstringAbove, parseTypeScript } from '../parse-typescript.ts';

/** What a module hands out under a name. */
export interface Exported {
  /** From the root. */
  readonly file: string;
  /** Undefined when it has no docstring. */
  readonly about: string | undefined;
}

/** Functions and constants that the modules of these patterns export, by name. Throws TypeError when two have one name. */
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
