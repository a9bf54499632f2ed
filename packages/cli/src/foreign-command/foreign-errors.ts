import { PortolanError } from '@portolan/plugin-api';

const EXPECTED = 'expected a server of the registry, an image, SCHEME://PACKAGE or a URL';

/** `portolan run` gets a command line of another program or the configuration of a client. `found` says which. */
export function foreignCommand(
  found: string,
  lines: readonly string[],
  notes: readonly string[],
): PortolanError {
  const text = lines.map((line) => `\n  ${line}`).join('');
  const more = notes.map((note) => `\n${note}`).join('');
  return new PortolanError('ERR_FOREIGN_COMMAND', 'mistake', `found ${found}; ${EXPECTED}`, {
    hint: `run it with Portolan:${text}${more}`,
  });
}

/** The same, where no package and no image can be read from it. `advice` says what to do for this program. */
export function foreignProgram(found: string, advice?: string): PortolanError {
  return new PortolanError(
    'ERR_FOREIGN_COMMAND',
    'mistake',
    `found ${found}, which names no package of an index and no image; ${EXPECTED}`,
    {
      hint:
        advice ??
        'name the package or image of the server, such as npx://PACKAGE, uvx://PACKAGE or ghcr.io/acme/server:1',
    },
  );
}
