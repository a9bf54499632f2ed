import { homedir, tmpdir } from 'node:os';
import type { DirectoryFacts } from '@portolan/workload';

/** Returns the facts that determine the folders of this process's user. */
export function placeOfUser(environment: DirectoryFacts['environment']): DirectoryFacts {
  return {
    platform: process.platform,
    environment,
    home: homedir(),
    temporary: tmpdir(),
    userId: process.getuid?.(),
  };
}
