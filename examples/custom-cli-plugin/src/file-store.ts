import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfigBlock, SecretListing, SecretStore, SecretStoreKind } from '@portolan/plugin-api';

/** Error with a code and a hint, which the CLI shows like its own errors, whatever its class. */
export class SecretFilesError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(
    code: string,
    message: string,
    { hint, cause }: { readonly hint: string; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** Matches allowed file names of secrets: no paths and no hidden files. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Returns the names of the secrets in a folder, sorted. */
export async function listSecretFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && NAME.test(entry.name));
    return files.map(({ name }) => name).toSorted();
  } catch (cause) {
    throw new SecretFilesError('ERR_SECRET_FILES_FOLDER', `The folder "${folder}" cannot be read.`, {
      hint: 'Check `secretStores.files.folder`; a relative path starts at the folder of the configuration file.',
      cause,
    });
  }
}

/**
 * Secret store for files as Docker, Kubernetes and systemd mount them: the file name is the secret's name,
 * and the content its value.
 */
class FileStore implements SecretStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(name: string): Promise<string | undefined> {
    if (!NAME.test(name)) {
      throw new SecretFilesError(
        'ERR_SECRET_NAME',
        'The name of the secret is invalid: no file in the folder can have it.',
        {
          hint: 'Use letters, digits, ".", "_" and "-".',
        },
      );
    }
    if (!(await listSecretFiles(this.#folder)).includes(name)) return undefined;
    return (await readFile(join(this.#folder, name), 'utf8')).replace(/\n$/, '');
  }

  async list(): Promise<readonly SecretListing[]> {
    return (await listSecretFiles(this.#folder)).map((name) => ({ name }));
  }
}

const fileConfig = {
  type: 'object',
  title: 'Files',
  description: 'Secrets in a folder, a file each.',
  properties: {
    folder: {
      type: 'string',
      format: 'path',
      default: '/run/secrets',
      description: 'Folder with one file for each secret.',
    },
  },
} as const satisfies ConfigBlock;

/** Secret store kind `files`. It is read-only, because another program mounts the files. */
export const fileStore: SecretStoreKind<typeof fileConfig> = {
  kind: 'files',
  config: fileConfig,
  can: ['list'],
  create: ({ folder }, { directory }) => new FileStore(resolve(directory, folder)),
};
