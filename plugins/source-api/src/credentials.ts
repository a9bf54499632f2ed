import { type Credentials, ClientCredentials } from './client-credentials.ts';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PluginContext } from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { tokenFileUnusable } from './errors.ts';

export function credentialsOf(
  { auth, timeout }: Pick<ApiConfig, 'auth' | 'timeout'>,
  context: Pick<PluginContext, 'fetch' | 'openFetch' | 'clock' | 'directory'>,
): Credentials | undefined {
  if (auth?.clientCredentials !== undefined)
    return new ClientCredentials(auth.clientCredentials, timeout, context);
  if (auth?.tokenFile !== undefined) return fromFile(resolve(context.directory, auth.tokenFile));
  const token = auth?.token;
  return token === undefined ? undefined : { authorize: async () => `Bearer ${token}` };
}

const MAX_BYTES = 65_536;

/** Returns whether a text is a token (RFC 6750, section 2.1, with some more characters). */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * Returns credentials from a file. The file is read for each request, because such tokens are replaced while
 * the server runs.
 */
function fromFile(file: string): Credentials {
  return {
    authorize: async () => {
      const token = (await readToken(file)).trim();
      if (!isToken(token)) throw tokenFileUnusable('holds something else than one token');
      return `Bearer ${token}`;
    },
  };
}

async function readToken(file: string): Promise<string> {
  let size: number;
  try {
    const stats = await stat(file);
    size = stats.isFile() ? stats.size : Number.NaN;
    if (size <= MAX_BYTES) return await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw tokenFileUnusable(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`, cause);
  }
  throw tokenFileUnusable(Number.isNaN(size) ? 'is not a file' : `is larger than ${MAX_BYTES} bytes`);
}
