import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listSecretFiles, SecretFilesError } from '../file-store.ts';

/** File mode bits that let the group or others read it. */
const READABLE_BY_OTHERS = 0o044;

/**
 * `portolan secret-files FOLDER`: shows who may read the secrets in a folder. oclif requires only these
 * fields of a command; one with flags extends `Command` of `@oclif/core`.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- oclif asks for a class
export default class SecretFiles {
  static readonly id = 'secret-files';
  static readonly summary = 'List the secrets in a folder, and who may read them';
  static readonly usage = 'secret-files FOLDER';
  static readonly args = {};
  static readonly flags = {};

  static async run([folder, ...others]: readonly string[]): Promise<void> {
    if (folder === undefined || others.length > 0) {
      throw new SecretFilesError('ERR_SECRET_FILES_ARGUMENTS', 'Expected one folder.', {
        hint: SecretFiles.usage,
      });
    }
    for (const name of await listSecretFiles(folder)) {
      const { mode } = await stat(join(folder, name));
      const who = (mode & READABLE_BY_OTHERS) === 0 ? 'only its owner' : 'others too';
      process.stdout.write(`${name}: ${who} may read it\n`);
    }
  }
}
