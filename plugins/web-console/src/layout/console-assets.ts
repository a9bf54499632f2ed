import { type Asset, asset } from './asset.ts';
import { favicon } from './favicon.ts';
import { readConsoleScript } from './read-console-script.ts';
import { styleSheet } from './style-sheet.ts';

export interface ConsoleAssets {
  readonly style: Asset;
  readonly script: Asset;
  readonly mark: Asset;
}

export async function openConsoleAssets(): Promise<ConsoleAssets> {
  const script = await readConsoleScript();
  return {
    style: styleSheet,
    script: asset('console', 'js', 'text/javascript; charset=utf-8', script),
    mark: favicon,
  };
}
