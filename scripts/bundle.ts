// Bundles the JavaScript of a package with esbuild: one file for each entry point, and chunks for
// code that entry points share or import dynamically.
import { build, formatMessages, type Metafile, type Plugin } from 'esbuild';
import { glob, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { type BundledPackage, bundledPackage } from './bundled-packages.ts';
import { findBundleFaults } from './find-bundle-faults.ts';
import { type Library, libraryOf, readLibrary } from './library.ts';
import { writeLicences } from './write-licences.ts';
import { writeSbom } from './write-sbom.ts';
import { ROOT, type WorkspacePackage } from './workspace-packages.ts';

const MODULES = path.join(ROOT, 'node_modules');

/** Replaces packages that the bundle never uses. */
const EMPTY_MODULE = path.join(import.meta.dirname, 'empty-module.cjs');

/**
 * Writes the JavaScript of a package into its `dist`, with the licences and the SBOM of the bundled libraries.
 * Throws when esbuild warns, or when `findBundleFaults` finds a fault.
 */
export async function bundle(workspacePackage: WorkspacePackage): Promise<void> {
  const { name, directory, manifest } = workspacePackage;
  const bundled = bundledPackage(name);
  const settings = {
    absWorkingDir: directory,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    alias: Object.fromEntries(bundled.unused.map((library) => [library, EMPTY_MODULE])),
    legalComments: 'eof', // besides the licence file, because comments can concern a single file
    metafile: true,
    // The repository's tsconfig.json maps packages to their sources.
    tsconfigRaw: { compilerOptions: { target: 'es2024', verbatimModuleSyntax: true } },
    logLevel: 'silent',
  } as const;
  const { metafile, warnings } = await build({
    ...settings,
    entryPoints: [
      ...(await entryPoints(directory, [...exportedSources(manifest), ...bundled.entries])),
      ...Object.entries(bundled.libraryEntries).map(([out, file]) => ({ in: path.join(MODULES, file), out })),
    ],
    chunkNames: '[name]-[hash]', // in the folder of the entry points, so that all find `./worker.js`
    splitting: true,
    define: { 'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"' }, // bin/portolan.js checks the version
    plugins: [importRules(bundled), generatedModules(path.join(directory, 'src'), bundled)],
  });
  if (bundled.programs.length > 0) {
    const programs = await build({
      ...settings,
      entryPoints: await entryPoints(directory, bundled.programs),
    });
    Object.assign(metafile.outputs, programs.metafile.outputs);
    warnings.push(...programs.warnings);
  }
  const faults = await formatMessages(warnings, { kind: 'warning' });
  const texts = await readOwnInputs(directory, metafile);
  faults.push(...findBundleFaults({ manifest, bundled, metafile, texts }));
  if (faults.length > 0) throw new Error(`${name} cannot be bundled:\n${faults.join('\n')}`);
  const libraries = await readLibraries(directory, metafile);
  await writeLicences(path.join(directory, 'dist'), libraries);
  await writeSbom(path.join(directory, 'dist'), workspacePackage, libraries);
}

/** Returns the source of each subpath that the manifest exports, relative to `src`. */
function exportedSources({ exports = {} }: Readonly<Record<string, unknown>>): readonly string[] {
  // SAFETY: the manifest is of this repository.
  const subpaths = exports as Readonly<Record<string, { readonly '@portolan/source'?: string }>>;
  return Object.values(subpaths).flatMap(({ '@portolan/source': source }) =>
    source === undefined ? [] : [path.posix.relative('src', source)],
  );
}

/** Returns an output path for each entry point: the top of `dist`; commands keep their folders, which are their names. */
async function entryPoints(
  directory: string,
  entries: readonly string[],
): Promise<{ in: string; out: string }[]> {
  const points: { in: string; out: string }[] = [];
  for await (const file of glob([...new Set(entries)], { cwd: path.join(directory, 'src') })) {
    const folder = file.startsWith('commands') ? path.dirname(file) : '';
    points.push({ in: `src/${file}`, out: path.join(folder, path.basename(file, '.ts')) });
  }
  return points.toSorted((left, right) => left.in.localeCompare(right.in)); // for reproducible builds
}

/**
 * Built-in modules that are slow to load: `node:crypto` takes about 8 ms, `node:https` and `node:tls`
 * 7, `node:http` and `node:net` 5. An ES import also reads every export, which loads the HTTP client
 * of Node.js (30 ms, 12 MB) and WebCrypto (10 ms). Our own modules load them on first use.
 */
const LAZY_BUILTINS: readonly string[] = ['node:http', 'node:https', 'node:tls', 'node:crypto', 'node:net'];

/** Marks a call of `resolve` by the plugin itself. */
const RESOLVED = Symbol('resolved');

/** Decides for each import whether it is inlined or stays an import. */
function importRules({ inlined, pure }: BundledPackage): Plugin {
  return {
    name: 'import-rules',
    setup: (rules) => {
      rules.onResolve(
        { filter: /./ },
        async ({ path: specifier, kind, importer, resolveDir, pluginData }) => {
          if (isBuiltin(specifier)) {
            if (kind === 'require-call') return { path: specifier, namespace: 'builtin' };
            const isLazy = kind === 'import-statement' && LAZY_BUILTINS.includes(specifier);
            return isLazy ? { path: specifier, namespace: 'lazy-builtin' } : { external: true };
          }
          if (kind === 'entry-point' || pluginData === RESOLVED) return undefined;
          if (/^[.#]/.test(specifier) || path.isAbsolute(specifier)) return undefined;
          if (pure.includes(specifier)) {
            const found = await rules.resolve(specifier, {
              kind,
              importer,
              resolveDir,
              pluginData: RESOLVED,
            });
            return { ...found, sideEffects: false };
          }
          const library = libraryOf(importer);
          // A library may try to import packages that are not its dependencies; these stay imports.
          const names = library === undefined ? inlined : await reachOf(library.directory, inlined);
          return names.some((one) => specifier === one || specifier.startsWith(`${one}/`))
            ? undefined
            : { external: true };
        },
      );
      // An ES module has no `require` for the CommonJS libraries that it contains.
      rules.onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
      }));
      rules.onLoad({ filter: /./, namespace: 'lazy-builtin' }, ({ path: name }) => ({
        contents: lazyModule(name),
      }));
    },
  };
}

/** Returns a module with a getter for each export of a built-in module. */
function lazyModule(name: string): string {
  const exports = Object.getOwnPropertyNames(process.getBuiltinModule(name) ?? {});
  return `let own;
    const lazy = (name) => ({ enumerable: true, get: () => (own ??= process.getBuiltinModule(${JSON.stringify(name)}))[name] });
    const names = ${JSON.stringify(exports)};
    module.exports = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, lazy(name)])));`;
}

function generatedModules(source: string, { generated }: BundledPackage): Plugin {
  return {
    name: 'generated-modules',
    setup: (rules) => {
      for (const [name, generate] of Object.entries(generated)) {
        const file = path.join(source, name);
        rules.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
          loaded === file ? { contents: generate(), resolveDir: path.dirname(file) } : undefined,
        );
      }
    },
  };
}

async function reachOf(library: string, inlined: readonly string[]): Promise<readonly string[]> {
  const { name, dependencies, peers } = await readLibrary(library);
  return [name, ...dependencies, ...peers.filter((peer) => inlined.includes(peer))];
}

/** Returns the texts of our own files in the bundle, by path. */
async function readOwnInputs(directory: string, metafile: Metafile): Promise<ReadonlyMap<string, string>> {
  const files = includedFiles(metafile).filter((file) => libraryOf(file) === undefined);
  const texts = files.map(
    async (file) => [file, await readFile(path.resolve(directory, file), 'utf8')] as const,
  );
  return new Map(await Promise.all(texts));
}

function includedFiles({ outputs }: Metafile): readonly string[] {
  const included = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(
      ([file, { bytesInOutput }]) => bytesInOutput > 0 && !/^(?:lazy-)?builtin:/.test(file),
    ),
  );
  return [...new Set(included.map(([file]) => file))];
}

async function readLibraries(directory: string, metafile: Metafile): Promise<readonly Library[]> {
  const files = includedFiles(metafile).map((file) => libraryOf(path.resolve(directory, file))?.directory);
  const directories = new Set(files.filter((found) => found !== undefined));
  return await Promise.all([...directories].map((found) => readLibrary(found)));
}
