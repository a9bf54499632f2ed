import { isBuiltin } from 'node:module';

/** The declarations that a package is published with, and what its manifest says. */
export interface DeclarationFindings {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Libraries that are part of its JavaScript. */
  readonly inlined: readonly string[];
  /** The text of each declaration, by its path as it is to be told. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Modules of others: `from 'koa'`, `import('koa').Context`, `import 'koa'`. */
const MODULES = /\b(?:from|import)\s*\(?\s*["']([\w@][\w@./:-]*)["']/g;

/**
 * What whoever compiles against a package would miss, one line each, and what
 * they would install for nothing: a library that is part of its JavaScript is a
 * dependency only where a declaration names it, else it belongs to `devDependencies`.
 */
export function findDeclarationFaults({ manifest, inlined, texts }: DeclarationFindings): readonly string[] {
  const dependencies = Object.keys(Object(manifest['dependencies']));
  const installed = [...dependencies, ...Object.keys(Object(manifest['peerDependencies']))];
  const named = new Set<string>();
  const faults: string[] = [];
  for (const [file, text] of texts) {
    for (const [, module = ''] of text.matchAll(MODULES)) {
      const name = packageOf(module);
      if (isBuiltin(module) || name === manifest['name']) continue;
      named.add(name);
      const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
      if (!installed.includes(name) && !installed.includes(types))
        faults.push(`${file}: it names ${module}, which is no dependency`);
    }
  }
  const needless = inlined.filter((name) => dependencies.includes(name) && !named.has(name));
  return [
    ...faults,
    ...needless.map((name) => `${name} is part of the package, and still a dependency that nothing needs`),
  ];
}

function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}
