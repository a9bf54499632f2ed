import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { askIndex, below, packageNotFound } from '@portolan/scheme-kit';
import { versionUnknown } from './errors.ts';
import type { GoSettings } from './go-settings.ts';

const VERSION = /^v(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Returns the newest version. A pre-release counts only when there is no release. */
export function newestGoVersion(versions: readonly string[]): string | undefined {
  const known = versions.filter((text) => VERSION.test(text)).toSorted(compare);
  return known.findLast((text) => VERSION.exec(text)?.[4] === undefined) ?? known.at(-1);
}

/** Compares versions by Semantic Versioning 2.0.0, section 11. */
function compare(one: string, other: string): number {
  const [left, right] = [VERSION.exec(one), VERSION.exec(other)];
  for (const at of [1, 2, 3]) {
    const difference = Number(left?.[at]) - Number(right?.[at]);
    if (difference !== 0) return difference;
  }
  return compareBefore(left?.[4], right?.[4]);
}

function compareBefore(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  const [left, right] = [one.split('.'), other.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [a, b] = [left[at], right[at]];
    if (a === undefined || b === undefined) return Number(b === undefined) - Number(a === undefined);
    const difference = comparePart(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares parts of a pre-release: numbers sort before words. */
function comparePart(one: string, other: string): number {
  const [left, right] = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  return one < other ? -1 : Number(one > other);
}

/** The proxy of the Go team responds with 400 where the host has no module. */
const NO_MODULE = [400, 404, 410];

type Ask = (path: string) => Promise<string | undefined>;

/**
 * Takes the first proxy that has the module. An import path does not show where the module's path ends: the
 * longest path that is a module counts. Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX.
 */
export async function resolveGoVersion(
  { name, version: goVersion = 'latest', pinned }: IndexedPackage,
  { proxies, authorize }: GoSettings,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string> {
  if (pinned) return goVersion;
  let url: URL | undefined;
  for (const { from, nextOnFailure } of proxies) {
    if (typeof from === 'string') break;
    url = from;
    try {
      const ask: Ask = async (path) =>
        (await askIndex(below(from, path), '*/*', context, options, authorize, NO_MODULE))?.text;
      const version = await findVersion(name, goVersion, ask);
      if (version !== undefined) return version;
    } catch (error) {
      if (!nextOnFailure || !isPortolanError(error) || error.code !== 'ERR_PACKAGE_INDEX') throw error;
    }
  }
  if (url === undefined) throw versionUnknown(name);
  throw packageNotFound(`module for ${name}@${goVersion}`, url.host);
}

/**
 * Returns the version of a module. A proxy may refuse paths that are no modules, so an error counts only when
 * no other path is a module.
 */
async function findVersion(name: string, requested: string, ask: Ask): Promise<string | undefined> {
  let refused: Error | undefined;
  for (let path = name; path.includes('/'); path = path.slice(0, path.lastIndexOf('/'))) {
    try {
      const version = await findInModule(escapePath(path), requested, ask);
      if (version !== undefined) return version;
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_PACKAGE_INDEX') throw error;
      refused ??= error;
    }
  }
  if (refused !== undefined) throw refused;
  return undefined;
}

async function findInModule(module: string, target: string, ask: Ask): Promise<string | undefined> {
  const isPrefix = /^v\d+(?:\.\d+)?$/.test(target);
  if (target !== 'latest' && !isPrefix) return await readInfo(`${module}/@v/${escapePath(target)}.info`, ask);
  const list = await ask(`${module}/@v/list`);
  const versions = (list ?? '').split(/\s+/).filter((text) => text !== '');
  const fitting = isPrefix ? versions.filter((text) => text.startsWith(`${target}.`)) : versions;
  const newest = newestGoVersion(fitting);
  // A module without a tagged version still has a newest commit.
  return newest ?? (isPrefix ? undefined : await readInfo(`${module}/@latest`, ask));
}

async function readInfo(path: string, ask: Ask): Promise<string | undefined> {
  const text = await ask(path);
  const version = /"Version"\s*:\s*"(v[0-9A-Za-z.+-]+)"/.exec(text ?? '')?.[1];
  return version;
}

/**
 * Escapes capitals as `!c`, because some file systems ignore case (Go modules reference, GOPROXY protocol).
 */
function escapePath(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
