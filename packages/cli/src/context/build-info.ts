import { readFile } from 'node:fs/promises';

export interface BuildInfo {
  /** Commit of the build; missing when the build did not know it. */
  readonly commit?: string;
  readonly buildDate?: string;
}

/** Returns what the build recorded about itself; an empty object in a checkout. */
export async function readBuildInfo(): Promise<BuildInfo> {
  try {
    // scripts/build.ts writes it next to this file.
    return JSON.parse(await readFile(new URL('./build-info.json', import.meta.url), 'utf8')) as BuildInfo;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
