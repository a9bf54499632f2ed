import type { SecretFiles, SecretStoreHostContext } from '@portolan/plugin-api';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { stateInaccessible } from '../state/state-errors.ts';
import type { Directories } from '../state/directories.ts';
import { changeFile, readBytes } from '../state/user-config/change-file.ts';

export interface ProxyContextInput {
  readonly directories: Pick<Directories, 'secrets' | 'groups'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks the user for the password; undefined without a terminal. */
  readonly askPassword?: SecretStoreHostContext['askPassword'] | undefined;
}

export function secretStoreContext({
  directories,
  environment,
  askPassword,
}: ProxyContextInput): SecretStoreHostContext {
  const files = secretFilesOf(directories);
  return { environment, files, ...(askPassword === undefined ? {} : { askPassword }) };
}

function secretFilesOf(directories: ProxyContextInput['directories']): SecretFiles {
  const pathOf = (name: string): string => {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
      throw new TypeError(`a store asks for a file ${JSON.stringify(name)}`);
    return path.join(directories.secrets, name);
  };
  return {
    pathOf,
    read: async (name, maxBytes) => {
      await checkSize(pathOf(name), maxBytes);
      return await readBytes(pathOf(name));
    },
    update: async (name, maxBytes, change, signal) => {
      const checked = async (content: Buffer | undefined): Promise<Uint8Array | undefined> => {
        if (content !== undefined && content.length > maxBytes) throw tooLong(pathOf(name), maxBytes);
        return await change(content);
      };
      await changeFile(directories, pathOf(name), checked, signal, { keepsBackup: true });
    },
  };
}

async function checkSize(file: string, maxBytes: number): Promise<void> {
  const stats = await stat(file).catch(() => undefined); // the read reports any problem
  if (stats !== undefined && stats.size > maxBytes) throw tooLong(file, maxBytes);
}

function tooLong(file: string, maxBytes: number): Error {
  return stateInaccessible(file, 'read', new Error(`it has more than ${maxBytes} bytes`));
}
