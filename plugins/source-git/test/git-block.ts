import type { GitConfig } from '../src/index.ts';
import type { GitServer } from './git-server.ts';

/** A block with its defaults, for the repository `catalogue.git` of a server. */
export function gitBlock(server: Pick<GitServer, 'url'>, more: Partial<GitConfig> = {}): GitConfig {
  return {
    repository: `${server.url}/catalogue.git`,
    path: 'registry.json',
    allowHttp: true,
    timeout: '2m',
    maxBytes: 64 * 1024 * 1024,
    maxObjects: 100_000,
    ...more,
  };
}
