import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;
const REPOSITORY = path.join(FOLDER, 'catalogue.git');

/** Who commits; nothing of the user's own settings is used. */
const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Quayle',
  GIT_AUTHOR_EMAIL: 'ada@acme.example',
  GIT_COMMITTER_NAME: 'Ada Quayle',
  GIT_COMMITTER_EMAIL: 'ada@acme.example',
};

async function git(...words: readonly string[]): Promise<void> {
  await promisify(execFile)('git', [`--git-dir=${REPOSITORY}`, ...words], { cwd: FOLDER, env: ENVIRONMENT });
}

/** Makes the repository, anew where there is one from before. */
export async function makeRepository(): Promise<void> {
  await git('init', '--quiet', '--bare', '--initial-branch=main');
  await git('config', 'core.bare', 'false');
  await git('config', 'uploadpack.allowFilter', 'true');
}

/** Commits the files of `servers` as they stand in this folder. */
export async function commitServers(message: string): Promise<void> {
  await git('--work-tree=.', 'add', '--all', '--', 'servers');
  await git('--work-tree=.', 'commit', '--quiet', '--allow-empty', '--message', message);
}
