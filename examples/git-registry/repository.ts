import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;
const REPOSITORY = path.join(FOLDER, 'catalogue.git');

/** Git author; the user's own git configuration is not used. */
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

/** Creates the repository, and replaces an existing one. */
export async function makeRepository(): Promise<void> {
  await git('init', '--quiet', '--bare', '--initial-branch=main');
  await git('config', 'core.bare', 'false');
  await git('config', 'uploadpack.allowFilter', 'true');
}

/** Commits the current files of `servers`. */
export async function commitServers(message: string): Promise<void> {
  await git('--work-tree=.', 'add', '--all', '--', 'servers');
  await git('--work-tree=.', 'commit', '--quiet', '--allow-empty', '--message', message);
}
