import path from 'node:path';
import type { RunConfig } from '@portolan/run-spec';
import { badPolicyFile, readPolicyDocument } from './read-policy-document.ts';

const WHAT = 'file of policies';
const ENDINGS = ['.json', '.yaml', '.yml', ''];

/**
 * Reads the file of `--authz-config` without checking its policies. `named` is the path as the user wrote it.
 * Throws ERR_NAMED_FILE.
 */
export async function readAuthzConfig(
  named: string,
  file: string,
  signal: AbortSignal,
): Promise<Partial<RunConfig>> {
  if (named.includes('..')) throw badPolicyFile(WHAT, named, 'its path has ".." in it');
  if (!ENDINGS.includes(path.extname(file).toLowerCase())) {
    throw badPolicyFile(WHAT, named, 'its name ends neither in .json, .yaml or .yml, nor in nothing');
  }
  return { authz_config: await readPolicyDocument(WHAT, file, signal), authz_config_path: file };
}
