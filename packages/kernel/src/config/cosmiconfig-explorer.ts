import * as untyped from 'cosmiconfig/dist/Explorer.js';
import type { CosmiconfigResult, Options } from 'cosmiconfig';

/** The part of cosmiconfig's own class that is used here. */
export interface Explorer {
  load(file: string): Promise<CosmiconfigResult>;
  search(from: string): Promise<CosmiconfigResult>;
}

type ExplorerClass = new (
  options: Options & { readonly moduleName: string; readonly metaConfigFilePath: null },
) => Explorer;

// The file's declarations leave the class out as internal. cosmiconfig is pinned
// to one version, and the tests of find-config look at what it does.
export const Explorer = (untyped as unknown as { readonly Explorer: ExplorerClass }).Explorer;
