import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a test file cannot do without, beside Node.js. */
export type Need = 'process' | 'engine';

/** Modules that come with a need; a path is that of a file in this tree. */
export const NEEDS: ReadonlyMap<string, Need> = new Map([
  ['node:child_process', 'process'],
  ['node:cluster', 'process'],
  ['esbuild', 'process'],
  ['playwright-core', 'process'],
  ['scripts/run.ts', 'process'],
  ['packages/workload/src/supervisor/supervisor-process.ts', 'process'],
  ['dockerode', 'engine'],
  ['@portolan/runtime-docker', 'engine'],
  ['plugins/runtime-docker/src/open-docker-runtime.ts', 'engine'],
  ['test/system/deployment/support/images.ts', 'engine'],
]);

const IS_OF_TESTS = /^(?:test\/|(?:packages|plugins)\/[^/]+\/test\/|examples\/)/;
const IMPORTS =
  /^(?:import|export)\s(?!type\s)[^;]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** A need, and the way to it: the test file, what it imports, and so on to the module that has the need. */
export interface TestNeed {
  readonly need: Need;
  readonly way: readonly string[];
}

/**
 * The needs of a test file, found by what it imports itself and through the
 * support code of tests; what the product imports does not count, since a test
 * need not call it. The file is a path from the root, with slashes.
 */
export function findNeeds(root: string, file: string): readonly TestNeed[] {
  const found = new Map<Need, TestNeed>();
  const seen = new Set([file]);
  const open: (readonly string[])[] = [[file]];
  for (let way = open.shift(); way !== undefined; way = open.shift()) {
    for (const target of importsOf(root, way.at(-1) ?? file)) {
      const need = NEEDS.get(target);
      if (need !== undefined && !found.has(need)) found.set(need, { need, way: [...way, target] });
      if (seen.has(target) || !IS_OF_TESTS.test(target) || !existsSync(path.join(root, target))) continue;
      seen.add(target);
      open.push([...way, target]);
    }
  }
  return [...found.values()];
}

/** Packages by name, files of this tree by their path from the root. */
function importsOf(root: string, file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(IMPORTS)].map(([, from, bare, computed]) => {
    const specifier = from ?? bare ?? computed ?? '';
    return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
  });
}
