import path from 'node:path';
import { type Finished, runPortolan } from '../../../../test/support/command-line.ts';

/** Runs a command as a user whose folders are all below `home`. */
export async function runAtHome(
  home: string,
  words: readonly string[],
  {
    stdin,
    env = {},
  }: { readonly stdin?: string; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Finished> {
  return await runPortolan(words, {
    cwd: home,
    env: {
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_STATE_HOME: path.join(home, 'state'),
      XDG_DATA_HOME: path.join(home, 'data'),
      XDG_RUNTIME_DIR: home,
      PORTOLAN_SECRETS_PASSWORD: 'correct horse',
      ...env,
    },
    ...(stdin === undefined ? {} : { stdin }),
  });
}
