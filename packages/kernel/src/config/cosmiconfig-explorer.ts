import * as untyped from 'cosmiconfig/dist/Explorer.js';
import type { CosmiconfigResult, Options } from 'cosmiconfig';

/** The used part of cosmiconfig's class. */
export interface Explorer {
  load(file: string): Promise<CosmiconfigResult>;
  search(from: string): Promise<CosmiconfigResult>;
}

type ExplorerClass = new (
  options: Options & { readonly moduleName: string; readonly metaConfigFilePath: null },
) => Explorer;

// The package's type declarations omit the class as internal. cosmiconfig is pinned to one version, and the
// tests of find-config cover its behaviour.
export const Explorer = (untyped as unknown as { readonly Explorer: ExplorerClass }).Explorer;
