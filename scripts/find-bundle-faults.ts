import type { Metafile } from 'esbuild';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';
import { libraryOf } from './library.ts';

export interface BundleFindings {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly bundled: Pick<BundledPackage, 'generated'>;
  readonly metafile: Pick<Metafile, 'outputs'>;
  /** Texts of our own files in the bundle, by the path that esbuild reports. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Returns what would fail in a bundled package, one line each:
 * - modules of ours that use `import.meta` and are not at the top of `dist`,
 * - imports of packages that are not dependencies,
 * - generated modules that the package does not import.
 */
export function findBundleFaults(findings: BundleFindings): readonly string[] {
  return [...movedModules(findings), ...undeclaredImports(findings), ...unusedModules(findings)];
}

function movedModules({ texts, metafile }: BundleFindings): readonly string[] {
  return Object.entries(metafile.outputs).flatMap(([output, { inputs }]) => {
    if (path.dirname(output) === 'dist') return [];
    const moved = Object.keys(inputs).filter(
      (file) => libraryOf(file) === undefined && /\bimport\.meta\b/.test(texts.get(file) ?? ''),
    );
    return moved.map((file) => `${file}: uses import.meta, and ${output} is not at the top of dist`);
  });
}

function undeclaredImports({ manifest, metafile }: BundleFindings): readonly string[] {
  const declared = Object.keys({
    ...Object(manifest['dependencies']),
    ...Object(manifest['peerDependencies']),
  });
  return Object.entries(metafile.outputs).flatMap(([output, { imports }]) => {
    const undeclared = imports.filter(
      ({ path: specifier, kind, external }) =>
        external === true &&
        kind !== 'require-call' && // optional dependencies of libraries
        !isBuiltin(specifier) &&
        !declared.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    );
    return undeclared.map(
      ({ path: specifier }) => `${output}: imports ${specifier}, which is not a dependency`,
    );
  });
}

function unusedModules({ texts, bundled: { generated } }: BundleFindings): readonly string[] {
  return Object.keys(generated).flatMap((name) =>
    texts.has(`src/${name}`) ? [] : [`src/${name}: the build generates it, and nothing imports it`],
  );
}
