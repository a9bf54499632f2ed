import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { isJsonObject } from '@portolan/plugin-api';

/** Returns whether a word is a path, rather than the name of a package. */
export function isPath(word: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|\/|~[\\/]|[A-Za-z]:[\\/])/.test(word);
}

export function resolvePath(word: string): string {
  return path.resolve(word.replace(/^~(?=[\\/])/, homedir()));
}

/** Returns a path in the form that schemes accept: `./notes` below the working directory, else absolute. */
export function formatFolder(folder: string): string {
  const below = path.relative(process.cwd(), folder).split(path.sep).join('/');
  if (below === '') return '.';
  return below.startsWith('../') || below === '..' || path.isAbsolute(below) ? folder : `./${below}`;
}

/** Returns the nearest folder at or above a folder that has a file of one of these names. */
export function findProject(folder: string, ...names: readonly string[]): string | undefined {
  for (let root = folder; ; root = path.dirname(root)) {
    if (names.some((name) => existsSync(path.join(root, name)))) return root;
    if (root === path.dirname(root)) return undefined;
  }
}

/**
 * Returns the name of the npm package's program that starts a file. Returns undefined when no program does,
 * and an empty text when the package has only one program.
 */
export function findNpmProgram(folder: string, file: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined; // The build reports the faulty file.
  }
  if (!isJsonObject(document)) return undefined;
  const { bin, main } = document;
  const starts = (text: unknown): boolean => typeof text === 'string' && path.resolve(folder, text) === file;
  if (!isJsonObject(bin)) return starts(bin ?? main) ? '' : undefined;
  const names = Object.keys(bin);
  const name = names.find((one) => starts(bin[one]));
  return name !== undefined && names.length === 1 ? '' : name;
}

/** A Git repository from which a package runner installs. */
export interface GitPackage {
  /** Command lines that clone the repository. */
  readonly steps: readonly string[];
  /** Folder of the package in the clone, in the form that schemes accept. */
  readonly folder: string;
}

/** Reads `git+https://…@REF`, `github:OWNER/NAME#REF` and `OWNER/NAME`; undefined for other packages. */
export function readGitPackage(scheme: string, named: string): GitPackage | undefined {
  const text = named.replace(/^[\w.[\],-]+\s*@\s*(?=git\+)/, '');
  const short = scheme === 'npx' ? /^(?:github:)?([\w-][\w.-]*\/[\w-][\w.-]*)(#.*)?$/.exec(text) : null;
  const whole = short === null ? text : `git+https://github.com/${short[1]}${short[2] ?? ''}`;
  const [, url = '', name = '', behindAt, behindHash = ''] =
    /^git\+(https:\/\/[\w.-]+(?:\/[\w.~-]+)*\/([\w.-]+?))(?:\.git)?(?:@([\w./-]+))?(?:#(.*))?$/.exec(whole) ??
    [];
  if (url === '' || name.startsWith('.')) return undefined;
  const [, inside = ''] = /(?:^|&)subdirectory=([\w./-]+)/.exec(behindHash) ?? [];
  const ref = scheme === 'npx' ? behindHash.replace(/^semver:.*/, '') : behindAt;
  const isNamed = ref !== undefined && /^\w[\w./-]*$/.test(ref);
  const isCommit = isNamed && /^[0-9a-f]{7,40}$/.test(ref);
  if (inside.split('/').includes('..')) return undefined;
  return {
    steps: [
      `git clone ${isNamed && !isCommit ? `--branch ${ref} ` : ''}${url}`,
      ...(isCommit ? [`git -C ${name} checkout ${ref}`] : []),
    ],
    folder: `./${name}${inside === '' ? '' : `/${inside}`}`,
  };
}
