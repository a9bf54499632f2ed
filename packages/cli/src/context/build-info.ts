import { readFile } from 'node:fs/promises';

export interface BuildInfo {
  /** The commit that was built; left out when the build did not know it. */
  readonly commit?: string;
  /** RFC 3339. */
  readonly buildDate?: string;
}

/** What the build has noted about itself; empty in a checkout, where nothing was built. */
export async function readBuildInfo(): Promise<BuildInfo> {
  try {
    // Written by scripts/build.ts, beside this file.
    return JSON.parse(await readFile(new URL('./build-info.json', import.meta.url), 'utf8')) as BuildInfo;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
