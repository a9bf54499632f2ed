import { memberOf, shortDescription, textOf } from '@portolan/entry-format';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readFault } from '../terminal/read-input.ts';
import { projectUnusable } from './init-errors.ts';
import { NO_FACTS, type ServerFacts } from './server-facts.ts';

/** Project files with facts for a server.json, in order of precedence. */
export const PROJECT_FILES = ['package.json', 'pyproject.toml'] as const;

export interface ProjectFacts {
  /** Path of the project file; undefined without one. */
  readonly file: string | undefined;
  readonly facts: ServerFacts;
}

/**
 * Reads the facts of a project: from the named file, else from the first of `PROJECT_FILES` in the folder;
 * `none` reads no file. Throws ERR_INIT_PROJECT for a missing named file, and for an unreadable one.
 */
export async function readProject(folder: string, named: string | undefined): Promise<ProjectFacts> {
  if (named === 'none') return { file: undefined, facts: NO_FACTS };
  for (const name of named === undefined ? PROJECT_FILES : [named]) {
    const text = await readText(path.resolve(folder, name), name, named === undefined);
    if (text === undefined) continue;
    const facts = name.endsWith('.toml') ? await ofPyproject(text, name) : ofPackageJson(text, name);
    return { file: name, facts };
  }
  return { file: undefined, facts: NO_FACTS };
}

async function readText(file: string, name: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (mayBeMissing && error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return undefined;
    throw projectUnusable(name, readFault(error), error);
  }
}

/** Leaves out a private package: it is not published, so users could not run it. */
function ofPackageJson(text: string, file: string): ServerFacts {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw projectUnusable(file, 'it is no JSON', error);
  }
  const [identifier, version] = [textOf(document, 'name'), textOf(document, 'version')];
  const repository = textOf(memberOf(document, 'repository'), 'url') ?? textOf(document, 'repository');
  const isPrivate = memberOf(document, 'private') === true;
  return {
    ...NO_FACTS,
    // `mcpName` is the member with which an npm package names its server, as registries require.
    name: textOf(document, 'mcpName') ?? nameOf(addressOf(repository), identifier),
    description: short(textOf(document, 'description')),
    version,
    repository: addressOf(repository),
    websiteUrl: webAddress(textOf(document, 'homepage')),
    runs:
      identifier === undefined || isPrivate
        ? []
        : [`npx://${identifier}${version === undefined ? '' : `@${version}`}`],
  };
}

async function ofPyproject(text: string, file: string): Promise<ServerFacts> {
  const { parse } = await import('@decimalturn/toml-patch');
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw projectUnusable(file, 'it is no TOML', error);
  }
  const project = memberOf(document, 'project');
  const [identifier, version] = [textOf(project, 'name'), textOf(project, 'version')];
  const urls = new Map(
    Object.entries(Object(memberOf(project, 'urls'))).map(([name, url]) => [name.toLowerCase(), String(url)]),
  );
  const repository = addressOf(urls.get('repository') ?? urls.get('source') ?? urls.get('source code'));
  return {
    ...NO_FACTS,
    name: nameOf(repository, identifier),
    description: short(textOf(project, 'description')),
    version,
    repository,
    websiteUrl: webAddress(urls.get('homepage')),
    runs:
      identifier === undefined ? [] : [`uvx://${identifier}${version === undefined ? '' : `@${version}`}`],
  };
}

function short(description: string | undefined): string | undefined {
  return description === undefined || description.trim() === ''
    ? undefined
    : shortDescription(description.trim());
}

/**
 * Returns the web address of a repository such as `git+https://github.com/acme/notes.git` or
 * `github:acme/notes`.
 */
export function addressOf(repository: string | undefined): string | undefined {
  if (repository === undefined) return undefined;
  const [, forge, place] = /^(?:(github|gitlab):)?([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
  if (place !== undefined) return `https://${forge ?? 'github'}.com/${place}`;
  const plain = repository
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/')
    .replace(/^git:/, 'https:');
  return webAddress(withoutTree(plain.replace(/#.*$/, '')).replace(/\.git$/, ''));
}

/** Returns the address of a repository for the address of a folder in it. */
function withoutTree(address: string): string {
  const [github] = /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+(?=\/|$)/.exec(address) ?? [];
  return github ?? address.replace(/\/-\/.*$/, '');
}

function webAddress(text: string | undefined): string | undefined {
  const url = URL.parse(text ?? '');
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === ''
    ? text
    : undefined;
}

/**
 * Returns a server name `io.github.OWNER/NAME`. The owner of the repository can prove that this namespace is
 * theirs.
 */
function nameOf(repository: string | undefined, identifier: string | undefined): string | undefined {
  const [, owner, project] = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository ?? '') ?? [];
  if (owner === undefined || project === undefined) return undefined;
  return `io.github.${owner}/${identifier?.split('/').at(-1) ?? project}`;
}
