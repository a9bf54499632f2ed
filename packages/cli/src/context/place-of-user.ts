import { homedir, tmpdir } from 'node:os';
import type { DirectoryFacts } from '@portolan/workload';

/** What decides where the folders of the user of this process are. */
export function placeOfUser(environment: DirectoryFacts['environment']): DirectoryFacts {
  return {
    platform: process.platform,
    environment,
    home: homedir(),
    temporary: tmpdir(),
    userId: process.getuid?.(),
  };
}
