import { homedir, tmpdir } from 'node:os';
import type { DirectoryFacts } from '@portolan/workload';

/** Returns the facts about this process and its user that determine folders such as the config directory. */
export function directoriesOfUser(environment: DirectoryFacts['environment']): DirectoryFacts {
  return {
    platform: process.platform,
    environment,
    home: homedir(),
    temporary: tmpdir(),
    userId: process.getuid?.(),
  };
}
