import { isBuiltin } from 'node:module';

/** Published declarations of a package, and its manifest. */
export interface DeclarationFindings {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Libraries that are bundled into the JavaScript. */
  readonly inlined: readonly string[];
  /** Text of each declaration, by the path for messages. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Matches external modules: `from 'koa'`, `import('koa').Context`, `import 'koa'`. */
const MODULES = /\b(?:from|import)\s*\(?\s*["']([\w@][\w@./:-]*)["']/g;

/**
 * Returns what is wrong with the dependencies of a package for TypeScript users, one line each.
 *
 * A bundled library belongs to `dependencies` only if a declaration names it, else to `devDependencies`.
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
