import type { PluginContext, Source, SourceKind } from '@portolan/plugin-api';
import { checkGit, parseGitConfig } from './check-git.ts';
import { checkGitVersion } from './check-git-version.ts';
import { type GitConfig, gitConfig } from './git-config.ts';
import { isRepositoryFault, parseRepository } from './parse-repository.ts';
import { RepositorySource } from './repository-source.ts';

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
