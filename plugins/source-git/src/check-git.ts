import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import { configUnusable } from './errors.ts';
import type { GitConfig } from './git-config.ts';
import { isRepositoryFault, parseRepository, type Repository } from './parse-repository.ts';
import { readSelection, type Selection } from './selection.ts';
import { findNameFault, isCommit, type ReferenceSelection, wantedReference } from './reference-selection.ts';

const MAX_TIMEOUT_MS = 3_600_000;

export function checkGit(
  config: GitConfig,
  { directory, trustsLoopback }: { readonly directory: string; readonly trustsLoopback: boolean },
): readonly KindProblem[] {
  return [...checkWords(config, trustsLoopback), ...checkFiles(config, directory)];
}

export interface ParsedGitConfig {
  readonly repository: Repository;
  readonly reference: ReferenceSelection;
  readonly selection: Selection;
}

/** Throws ERR_SOURCE_CONFIG for an unchecked block. */
export function parseGitConfig(
  config: GitConfig,
  { trustsLoopback }: { readonly trustsLoopback: boolean },
): ParsedGitConfig {
  const [problem] = checkWords(config, trustsLoopback);
  if (problem !== undefined) throw configUnusable(problem);
  const { allowHttp } = config;
  const repository = parseRepository(config.repository, { allowHttp, trustsLoopback });
  if (isRepositoryFault(repository)) throw configUnusable({ place: 'repository', ...repository });
  return { repository, reference: wantedReference(config), selection: readSelection(config.path) };
}

function checkWords(config: GitConfig, trustsLoopback: boolean): readonly KindProblem[] {
  return [
    ...checkRepository(config, trustsLoopback),
    ...checkReference(config),
    ...checkPath(config),
    ...checkTimeout(config),
  ];
}

function checkRepository(config: GitConfig, trustsLoopback: boolean): readonly KindProblem[] {
  const { allowHttp } = config;
  const repository = parseRepository(config.repository, { allowHttp, trustsLoopback });
  if (isRepositoryFault(repository)) return [{ place: 'repository', ...repository }];
  const isSsh = repository.scheme === 'ssh';
  const problems: KindProblem[] = [];
  if (isSsh && config.ssh === undefined)
    problems.push({
      place: 'ssh',
      found: 'nothing',
      expected: 'keyFile and knownHostsFile, because the repository uses ssh',
    });
  const unused = UNUSED[repository.scheme];
  for (const place of unused) {
    if (config[place] === undefined) continue;
    const expected = `none: the repository is asked by ${repository.scheme}`;
    problems.push({ place, found: 'it', expected });
  }
  return [...problems, ...checkUser(config)];
}

const UNUSED = {
  https: ['ssh'],
  http: ['ssh'],
  ssh: ['auth', 'caCertPath'],
  file: ['auth', 'caCertPath', 'ssh'],
} as const;

function checkUser({ auth }: GitConfig): readonly KindProblem[] {
  // oxlint-disable-next-line no-control-regex -- a line break would begin another attribute of the credential
  if (auth === undefined || !/[:\u0000-\u001f\u007f]/.test(auth.username)) return [];
  const found = 'a name with a colon or a control character';
  return [
    {
      place: 'auth.username',
      found,
      expected: 'a name without colon and control characters, for HTTP basic authentication',
    },
  ];
}

function checkReference({ branch, tag, commit }: GitConfig): readonly KindProblem[] {
  const inputs = Object.entries({ branch, tag, commit }).filter(([, name]) => name !== undefined);
  const problems: KindProblem[] = [];
  if (inputs.length > 1) {
    const found = inputs.map(([key]) => key).join(' and ');
    const [place = ''] = inputs.at(-1) ?? [];
    problems.push({ place, found, expected: 'at most one of branch, tag and commit' });
  }
  for (const [place, name] of Object.entries({ branch, tag })) {
    const fault = name === undefined ? undefined : findNameFault(name);
    if (fault !== undefined)
      problems.push({
        place,
        found: `${JSON.stringify(name)}, which ${fault}`,
        expected: `the name of a ${place}`,
      });
  }
  if (commit !== undefined && !isCommit(commit))
    problems.push({
      place: 'commit',
      found: JSON.stringify(commit),
      expected: '40 or 64 hexadecimal digits',
    });
  return problems;
}

function checkPath({ path }: GitConfig): readonly KindProblem[] {
  try {
    readSelection(path);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const found = `${JSON.stringify(path)}, ${error.message}`;
    return [{ place: 'path', found, expected: 'a file, folder or pattern within the repository' }];
  }
}

function checkTimeout({ timeout }: GitConfig): readonly KindProblem[] {
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return [];
  const expected = 'a duration above zero and at most 1h';
  return [{ place: 'timeout', found: JSON.stringify(timeout), expected }];
}

/**
 * Returns a warning for each file that does not exist. It may be created later, as mounted secrets are;
 * otherwise the sync fails with an error.
 */
function checkFiles({ auth, ssh, caCertPath }: GitConfig, directory: string): readonly KindProblem[] {
  const files = {
    'auth.passwordFile': auth?.passwordFile,
    'ssh.keyFile': ssh?.keyFile,
    'ssh.knownHostsFile': ssh?.knownHostsFile,
    caCertPath,
  };
  return Object.entries(files).flatMap(([place, file]) => {
    const fault = file === undefined ? undefined : findFileFault(resolve(directory, file));
    return fault === undefined
      ? []
      : [
          {
            place,
            found: `${JSON.stringify(file)}, ${fault}`,
            expected: 'a readable file',
            isWarning: true,
          },
        ];
  });
}

function findFileFault(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return 'which is not a file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? 'which does not exist'
      : `which cannot be read (${code})`;
  }
}
