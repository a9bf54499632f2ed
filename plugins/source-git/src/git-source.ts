import type { PluginContext, Source, SourceKind } from '@portolan/plugin-api';
import { checkGit, parseGitConfig } from './check-git.ts';
import { type GitConfig, gitConfig } from './git-config.ts';
import { isRepositoryFault, parseRepository } from './parse-repository.ts';
import { RepositorySource } from './repository-source.ts';
import { tmpdir } from 'node:os';
import { gitTooOld } from './errors.ts';
import { gitVariables } from './git-variables.ts';
import { runGit } from './run-git.ts';

/**
 * Minimum version of git: the first that can be restricted to a checked IP address (`http.curloptResolve`).
 */
const LEAST = [2, 37] as const;
const MAX_MS = 10_000;

/** Search paths with a recent git. Each started process blocks running requests for some milliseconds. */
const good = new Set<string | undefined>();

/** Checks the version of git; after a success, once per process. Throws ERR_SOURCE_GIT_MISSING. */
async function checkGitVersion(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (good.has(environment['PATH'])) return;
  const variables = gitVariables({ environment, home: tmpdir() });
  const output = await runGit({
    words: ['version'],
    environment: variables,
    signal: AbortSignal.timeout(MAX_MS),
  });
  const version = /^git version (\S+)/.exec(output.toString('utf8'))?.[1] ?? 'of an unknown version';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (!isEnough) throw gitTooOld(version, LEAST.join('.'));
  good.add(environment['PATH']);
}

/** Entries of files in a git repository, labelled with the claims of the source. */
export const gitSource: SourceKind<typeof gitConfig> = {
  kind: 'git',
  config: gitConfig,
  claimsFrom: 'source',
  reaches: reachOf,
  isFixed: ({ commit }) => commit !== undefined,
  check: checkGit,
  create: createSource,
};

function reachOf({ repository: address, auth, ssh, caCertPath, allowHttp }: GitConfig) {
  const repository = parseRepository(address, { allowHttp, trustsLoopback: false });
  const named = [auth?.passwordFile, ssh?.keyFile, ssh?.knownHostsFile, caCertPath];
  const files = named.filter((file) => file !== undefined);
  // `check` reports the fault of the address, and nothing connects to it.
  if (isRepositoryFault(repository)) return { files, urls: [] };
  const { scheme, host, port } = repository;
  return { files, urls: [], hosts: [{ scheme, host, port, place: 'repository' }] };
}

async function createSource(config: GitConfig, context: PluginContext): Promise<Source> {
  const parsed = parseGitConfig(config, context);
  await checkGitVersion(context.environment);
  const whereabouts = { address: parsed.repository.address };
  return new RepositorySource({ config, context, ...parsed, whereabouts });
}
