import { isJsonObject } from '@portolan/plugin-api';
import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import type { IndexResponse } from '@portolan/scheme-kit';
import { askIndex, below, packageNotFound } from '@portolan/scheme-kit';
import { answerUnreadable } from './errors.ts';
import type { PythonIndexes } from './python-indexes.ts';

const ACCEPT =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/**
 * Returns the named version, else the newest one with a file that was not withdrawn. Uses the first index
 * that has the project. Throws ERR_PACKAGE_NOT_FOUND and ERR_PACKAGE_INDEX.
 */
export async function resolvePythonVersion(
  { name, version, pinned }: IndexedPackage,
  { usual, more, authorize }: PythonIndexes,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string> {
  if (pinned && version !== undefined) return version;
  // uv asks the extra indexes first, and takes the first that knows the project.
  for (const index of [...more, usual]) {
    const address = below(index, `${normalName(name)}/`);
    const response = await askIndex(address, ACCEPT, context, options, authorize);
    if (response === undefined) continue;
    const pythonVersion = await newestVersion(listVersions(response, name, index));
    if (pythonVersion !== undefined) return pythonVersion;
  }
  throw packageNotFound(`package ${name}`, usual.host);
}

/** Returns the normalized name of a project (PyPA, "Names and normalization"). */
export function normalName(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

/** Returns the versions of a project without withdrawn files, from JSON (PEP 691) or a page (PEP 503). */
function listVersions({ type, text }: IndexResponse, name: string, index: URL): readonly string[] {
  const files = /json/.test(type) ? readJsonFiles(text, name, index) : readPageFiles(text);
  return [...new Set(files.flatMap((file) => versionOfFile(file, name) ?? []))];
}

function readJsonFiles(text: string, name: string, index: URL): readonly string[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw answerUnreadable(name, index.host, error);
  }
  const files: unknown = isJsonObject(document) ? document['files'] : undefined;
  if (!Array.isArray(files)) throw answerUnreadable(name, index.host);
  return files.flatMap((file: unknown) => {
    if (!isJsonObject(file) || typeof file['filename'] !== 'string') return [];
    return file['yanked'] === undefined || file['yanked'] === false ? [file['filename']] : [];
  });
}

/** Matches links, also an unterminated one, so that nothing in it is scanned again. */
const LINK = /<a\b([^>]*)(?:>([^<]*)(<\/a>)?)?/gi;

function readPageFiles(text: string): readonly string[] {
  return [...text.matchAll(LINK)].flatMap(([, attributes = '', file = '', end]) =>
    end === undefined || /\bdata-yanked\b/i.test(attributes) ? [] : [file.trim()],
  );
}

/** Returns the version of a file: 1.0 for `name-1.0-py3-none-any.whl` and `name-1.0.tar.gz`. */
function versionOfFile(file: string, name: string): string | undefined {
  const wheel = /^([^-]+)-([^-]+)-.+\.whl$/i.exec(file);
  if (wheel !== null) return normalName(wheel[1] ?? '') === normalName(name) ? wheel[2] : undefined;
  const source = file.replace(/\.(?:tar\.gz|zip|tar\.bz2|tgz)$/i, '');
  if (source === file) return undefined;
  // The name of a project may itself contain dashes.
  const dash = [...source.matchAll(/-/g)].find(
    ({ index }) => normalName(source.slice(0, index)) === normalName(name),
  );
  return dash === undefined ? undefined : source.slice(dash.index + 1);
}

/** PyPA, "Version specifiers"; a pre-release only when there is no release. Ignores invalid versions. */
export async function newestVersion(versions: readonly string[]): Promise<string | undefined> {
  // Loaded on demand: exact versions need no comparison.
  const { compare, explain } = await import('@renovatebot/pep440');
  const known = versions
    .map((text) => text.trim())
    .flatMap((text) => {
      const parts = explain(text);
      return parts === null ? [] : [{ text, isBefore: parts.is_prerelease }];
    })
    .toSorted((one, other) => compare(one.text, other.text));
  return (known.findLast(({ isBefore }) => !isBefore) ?? known.at(-1))?.text;
}
