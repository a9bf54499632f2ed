import type { Metafile } from 'esbuild';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';
import { libraryOf } from './library.ts';

/** What went into the files of a package, and what they are. */
export interface BundleFindings {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly bundled: Pick<BundledPackage, 'reviewed' | 'empty' | 'rewritten' | 'written'>;
  readonly metafile: Pick<Metafile, 'outputs'>;
  /** What the files that are in it hold, by their path as the bundler tells it. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Code that depends on where its file is, or loads what only a variable names. */
const PLACE =
  /\b__(?:dir|file)name\b|\bimport\.meta\b|\bcreateRequire\b|\brequire\.\w|\b(?:require|import)\((?!["')])/;

const COMMENT = /^\s*(?:\/[/*]|\*)/;

/**
 * What would not work in the files of a package, one line each: lines of a
 * library that depend on its place and that nobody has looked at, modules of
 * ours that ask for their place and would not be at the top of `dist`, imports
 * of packages that are no dependencies, files to be left empty or written otherwise that are not there.
 */
export function findBundleFaults(findings: BundleFindings): readonly string[] {
  return [
    ...unreviewedLines(findings),
    ...movedModules(findings),
    ...undeclaredImports(findings),
    ...missedFiles(findings),
  ];
}

function unreviewedLines({ texts, bundled: { reviewed } }: BundleFindings): readonly string[] {
  const found = new Map<string, readonly string[]>();
  for (const [file, text] of texts) {
    const name = libraryOf(file)?.path;
    if (name !== undefined) found.set(name, placeLines(text));
  }
  const names = new Set([...found.keys(), ...Object.keys(reviewed)]);
  return [...names].flatMap((name) => {
    const lines = found.get(name) ?? [];
    const expected = reviewed[name]?.lines ?? 0;
    if (lines.length === expected) return [];
    const counts = `${lines.length} lines depend on the place of the file, and ${expected} were looked at`;
    return [`${name}: ${counts}`, ...lines.map((line) => `    ${line}`)];
  });
}

function placeLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => PLACE.test(line) && !COMMENT.test(line));
  return lines.map((line) => line.trim());
}

function movedModules({ texts, metafile }: BundleFindings): readonly string[] {
  return Object.entries(metafile.outputs).flatMap(([output, { inputs }]) => {
    if (path.dirname(output) === 'dist') return [];
    const asking = Object.keys(inputs).filter(
      (file) => libraryOf(file) === undefined && /\bimport\.meta\b/.test(texts.get(file) ?? ''),
    );
    return asking.map((file) => `${file}: it asks for its place, and ${output} is not at the top of dist`);
  });
}

function undeclaredImports({ manifest, metafile }: BundleFindings): readonly string[] {
  const declared = Object.keys({
    ...Object(manifest['dependencies']),
    ...Object(manifest['peerDependencies']),
  });
  return Object.entries(metafile.outputs).flatMap(([output, { imports }]) => {
    const undeclared = imports.filter(
      ({ path: wanted, kind, external }) =>
        external === true &&
        kind !== 'require-call' && // of a library that tries
        !isBuiltin(wanted) &&
        !declared.some((name) => wanted === name || wanted.startsWith(`${name}/`)),
    );
    return undeclared.map(({ path: wanted }) => `${output}: it imports ${wanted}, which is no dependency`);
  });
}

function missedFiles({ texts, bundled: { empty, rewritten, written } }: BundleFindings): readonly string[] {
  const names = new Set([...texts.keys()].map((file) => libraryOf(file)?.path ?? file));
  const ours = Object.keys(written).map((name) => `src/${name}`);
  return [...empty, ...Object.keys(rewritten), ...ours].flatMap((name) =>
    names.has(name) ? [] : [`${name}: something would stand in for it, and nothing asks for it`],
  );
}
