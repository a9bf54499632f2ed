import { PortolanError } from '@portolan/plugin-api';

const EXPECTED = 'expected a server of the registry, an image, SCHEME://PACKAGE or a URL';

/**
 * Creates the error for a command line of another program, or the configuration of an MCP client, after
 * `portolan run`. `actual` says which of the two.
 */
export function foreignCommand(
  actual: string,
  lines: readonly string[],
  notes: readonly string[],
): PortolanError {
  const text = lines.map((line) => `\n  ${line}`).join('');
  const more = notes.map((note) => `\n${note}`).join('');
  return new PortolanError('ERR_FOREIGN_COMMAND', 'mistake', `found ${actual}; ${EXPECTED}`, {
    hint: `run it with Portolan:${text}${more}`,
  });
}

/**
 * Creates the error for a command line of another program without a package or an image. `advice` says what to do for this program.
 */
export function foreignProgram(program: string, advice?: string): PortolanError {
  return new PortolanError(
    'ERR_FOREIGN_COMMAND',
    'mistake',
    `found ${program}, which has neither a package of an index nor an image; ${EXPECTED}`,
    {
      hint:
        advice ??
        'name the package or image of the server, such as npx://PACKAGE, uvx://PACKAGE or ghcr.io/acme/server:1',
    },
  );
}
