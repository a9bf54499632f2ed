import { readdir } from 'node:fs/promises';
import path from 'node:path';

const ENDINGS = ['ts', 'js', 'mjs', 'yaml', 'yml', 'json'];

/**
 * Returns the path of the user's own `portolan.config.*` in their config directory; undefined when there is
 * none.
 */
export async function findUserConfiguration(directory: string): Promise<string | undefined> {
  const files = await filesIn(directory);
  const userConfiguration = ENDINGS.map((ending) => `portolan.config.${ending}`).find((file) =>
    files.includes(file),
  );
  return userConfiguration === undefined ? undefined : path.join(directory, userConfiguration);
}

async function filesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return [];
    }
    throw error;
  }
}
