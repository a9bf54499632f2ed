// Bundles the JavaScript of a package: one file for each way in, and chunks that
// these share or that are imported only when they are needed.
import { build, formatMessages, type Metafile, type Plugin } from 'esbuild';
import { glob, readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { type BundledPackage, bundledPackage, type Rewriting } from './bundled-packages.ts';
import { findBundleFaults } from './find-bundle-faults.ts';
import { joinChunks } from './join-chunks.ts';
import { type Library, libraryOf, readLibrary } from './library.ts';
import { writeLicences } from './write-licences.ts';
import type { WorkspacePackage } from './workspace-packages.ts';

/**
 * Writes the JavaScript of a package into its `dist`, and the licences of the
 * libraries that it then holds. Throws when something would not work there.
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
    legalComments: 'eof', // beside the file of licences, for what stands in single files only
    metafile: true,
    // Not the one of the tree: that leads to types of our own where a library's would bring those of browsers.
    tsconfigRaw: { compilerOptions: { target: 'es2024', verbatimModuleSyntax: true } },
    logLevel: 'silent',
  } as const;
  const { metafile, warnings } = await build({
    ...settings,
    entryPoints: await entryPoints(directory, bundled.entries),
    chunkNames: '[name]-[hash]', // beside the entries, so that `./worker.js` is found from all of them
    splitting: true,
    define: { 'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"' }, // the launcher has looked
    plugins: [importRules(bundled), writtenModules(path.join(directory, 'src'), bundled)],
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
  const texts = await readInputs(directory, metafile, bundled);
  faults.push(...findBundleFaults({ manifest, bundled, metafile, texts }));
  if (faults.length > 0) throw new Error(`${name} cannot be bundled:\n${faults.join('\n')}`);
  await joinChunks(path.join(directory, 'dist'), metafile, bundled.joined);
  await writeLicences(path.join(directory, 'dist'), await readLibraries(directory, metafile));
}

/** Each entry becomes a file at the top of `dist`; commands keep their folders, which are their names. */
async function entryPoints(
  directory: string,
  entries: readonly string[],
): Promise<{ in: string; out: string }[]> {
  const points: { in: string; out: string }[] = [];
  for await (const file of glob([...entries], { cwd: path.join(directory, 'src') })) {
    const folder = file.startsWith('commands') ? path.dirname(file) : '';
    points.push({ in: `src/${file}`, out: path.join(folder, path.basename(file, '.ts')) });
  }
  return points.toSorted((left, right) => left.in.localeCompare(right.in)); // the same build each time
}

/**
 * Modules of Node that take their time (crypto some 8 ms, https and tls some 7, net and http some 5), two of them
 * with exports that load something large when they are touched, which every import does: a whole HTTP client (some
 * 30 ms and 8 MB), and the web's cryptography (some 10 ms). Our own files get them when the first of their exports is used.
 */
const COSTLY_MODULES: readonly string[] = ['node:http', 'node:https', 'node:tls', 'node:crypto', 'node:net'];

/** Modules whose import goes through all of their exports, and opens the standard input by that. */
const PROCESS: readonly string[] = ['process', 'node:process'];

/** Libraries that make large tables when they are loaded (the types of MIME: some 10 ms), for what seldom happens. */
const COSTLY_LIBRARIES: readonly string[] = ['mime-types'];

const ROOT = path.join(import.meta.dirname, '..');

/** Marks an import that has come by here already. */
const RESOLVED = Symbol('resolved');

/** What is inlined and what stays an import. */
function importRules({ inlined, pure, empty, rewritten }: BundledPackage): Plugin {
  return {
    name: 'import-rules',
    setup: (rules) => {
      rules.onResolve({ filter: /./ }, async ({ path: wanted, kind, importer, resolveDir, pluginData }) => {
        if (isBuiltin(wanted)) {
          // An `import()` stays: a wrapped module would have none of its names, and whoever waits for it wants it.
          if (kind === 'require-call') return { path: wanted, namespace: 'builtin' };
          if (PROCESS.includes(wanted) && kind === 'import-statement')
            return { path: wanted, namespace: 'builtin' };
          const isLate = kind === 'import-statement' && COSTLY_MODULES.includes(wanted);
          return isLate ? { path: wanted, namespace: 'late-builtin' } : { external: true };
        }
        if (kind === 'entry-point' || pluginData === RESOLVED) return undefined;
        if (kind === 'require-call' && COSTLY_LIBRARIES.includes(wanted)) {
          const found = await rules.resolve(wanted, { kind, importer, resolveDir, pluginData: RESOLVED });
          return { path: path.relative(ROOT, found.path), namespace: 'late-library' };
        }
        if (/^[.#]/.test(wanted) || path.isAbsolute(wanted)) return undefined;
        if (pure.includes(wanted)) {
          const found = await rules.resolve(wanted, { kind, importer, resolveDir, pluginData: RESOLVED });
          return { ...found, sideEffects: false };
        }
        const library = libraryOf(importer);
        // What a library does not name as a dependency, it only tries to load; what it shares with us is ours.
        const follow = library === undefined ? inlined : await reachOf(library.directory, inlined);
        return follow.some((one) => wanted === one || wanted.startsWith(`${one}/`))
          ? undefined
          : { external: true };
      });
      // CommonJS in an ES module has no `require`. This is as quick, and unlike an import
      // does not touch every export.
      rules.onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
      }));
      rules.onLoad({ filter: /./, namespace: 'late-builtin' }, ({ path: name }) => ({
        contents: lateModule(name),
      }));
      rules.onLoad({ filter: /./, namespace: 'late-library' }, ({ path: file }) => ({
        contents: lateLibrary(path.join(ROOT, file)),
        resolveDir: ROOT,
      }));
      rules.onLoad({ filter: /[\\/]node_modules[\\/]/ }, async ({ path: file }) => {
        const name = libraryOf(file)?.path ?? '';
        if (empty.includes(name)) return { contents: '' };
        const rewriting = rewritten[name];
        return rewriting === undefined
          ? undefined
          : { contents: rewrite(await readFile(file, 'utf8'), rewriting) };
      });
    },
  };
}

/** A module of Node with the exports that it has in the Node that builds, asked for one by one. */
function lateModule(name: string): string {
  const exports = Object.getOwnPropertyNames(process.getBuiltinModule(name) ?? {});
  return `let own;
    const late = (name) => ({ enumerable: true, get: () => (own ??= process.getBuiltinModule(${JSON.stringify(name)}))[name] });
    const names = ${JSON.stringify(exports)};
    module.exports = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, late(name)])));`;
}

/** A library that is loaded when one of its functions is called, or another of its exports asked for, for the first time. */
function lateLibrary(file: string): string {
  const exports = Object.entries(Object(createRequire(file)(file)));
  const isFunction = Object.fromEntries(exports.map(([name, value]) => [name, typeof value === 'function']));
  return `const own = () => require(${JSON.stringify(file)});
    const late = ([name, isFunction]) => [name, isFunction
      ? { enumerable: true, value: (...values) => own()[name](...values) }
      : { enumerable: true, get: () => own()[name] }];
    module.exports = Object.defineProperties({}, Object.fromEntries(Object.entries(${JSON.stringify(isFunction)}).map(late)));`;
}

function writtenModules(source: string, { written }: BundledPackage): Plugin {
  return {
    name: 'written-modules',
    setup: (rules) => {
      for (const [name, write] of Object.entries(written)) {
        const file = path.join(source, name);
        rules.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
          loaded === file ? { contents: write(), resolveDir: path.dirname(file) } : undefined,
        );
      }
    },
  };
}

/** Throws when the text does not stand there exactly once. */
function rewrite(text: string, { from, to }: Rewriting): string {
  const [before, after, more] = text.split(from);
  if (before === undefined || after === undefined || more !== undefined) {
    throw new Error(`expected exactly one ${JSON.stringify(from)}: look whether it is still to be rewritten`);
  }
  return `${before}${to}${after}`;
}

async function reachOf(library: string, inlined: readonly string[]): Promise<readonly string[]> {
  const { name, dependencies, peers } = await readLibrary(library);
  return [name, ...dependencies, ...peers.filter((peer) => inlined.includes(peer))];
}

/** The text of everything that came into the bundle, by absolute path. */
async function readInputs(
  directory: string,
  metafile: Metafile,
  { empty }: BundledPackage,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const file of includedFiles(metafile)) {
    const isEmpty = empty.includes(libraryOf(file)?.path ?? '');
    texts.set(file, isEmpty ? '' : await readFile(path.resolve(directory, file), 'utf8'));
  }
  return texts;
}

function includedFiles({ outputs }: Metafile): readonly string[] {
  const included = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(
      ([file, { bytesInOutput }]) =>
        bytesInOutput > 0 && !/^(?:builtin|late-builtin|late-library):/.test(file),
    ),
  );
  return [...new Set(included.map(([file]) => file))];
}

async function readLibraries(directory: string, metafile: Metafile): Promise<readonly Library[]> {
  const files = includedFiles(metafile).map((file) => libraryOf(path.resolve(directory, file))?.directory);
  const directories = new Set(files.filter((found) => found !== undefined));
  return await Promise.all([...directories].map((found) => readLibrary(found)));
}
