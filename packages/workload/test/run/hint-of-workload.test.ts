import { readFile, glob } from 'node:fs/promises';
import path from 'node:path';
import { PortolanError } from '@portolan/plugin-api';
import { flagRow, RUN_FLAG_NAMES } from '@portolan/run-spec';
import { expect } from 'chai';
import { hintForWorkload } from '../../src/run/hint-of-workload.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const hintOf = (hint: string): string | undefined =>
  hintForWorkload('weather', new PortolanError('ERR_PORT_TAKEN', 'conflict', 'It failed.', { hint })).hint;

const CASES: readonly (readonly [hint: string, expected: string])[] = [
  [
    'Choose another port with --proxy-port, or stop the program that listens there.',
    'Choose another port with `portolan change weather --proxy-port PORT`, or stop the program that listens there.',
  ],
  [
    'Let the server listen on another port (--target-port), or run it with --isolate-network=false.',
    'Let the server listen on another port (`portolan change weather --target-port PORT`), or run it with `portolan change weather --isolate-network=false`.',
  ],
  [
    'Name a base image with --runtime-image, such as node:24-slim.',
    'Name a base image with `portolan change weather --runtime-image IMAGE`, such as node:24-slim.',
  ],
  [
    'Give each with --remote-forward-headers NAME=VALUE or --remote-forward-headers-secret NAME=SECRET.',
    'Give each with `portolan change weather --remote-forward-headers NAME=VALUE` or `portolan change weather --remote-forward-headers-secret NAME=SECRET`.',
  ],
  [
    'Run it without --session-store: it is for servers that speak streamable HTTP.',
    'Run `portolan change weather --unset session-store`: it is for servers that speak streamable HTTP.',
  ],
  ['See `portolan run --proxy-port 80`.', 'See `portolan run --proxy-port 80`.'],
  ['Run it on a terminal, or add --trust.', 'Run it on a terminal, or add --trust.'],
  ["Give --group 'a', or remove it.", "Give --group 'a', or remove it."],
];

describe('hintForWorkload', () => {
  for (const [hint, expected] of CASES) {
    it(`rewrites ${hint} to name only commands that exist (N6)`, () => {
      expect(hintOf(hint)).to.equal(expected);
    });
  }

  it('leaves no flag of `run` outside of a command in any hint of the sources', async () => {
    const flags = RUN_FLAG_NAMES.map((name) => flagRow(name).flag).filter(
      (flag) => !['name', 'group'].includes(flag),
    );
    const hints: string[] = [];
    for await (const file of glob('{packages,plugins}/*/src/**/*errors.ts', { cwd: ROOT })) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      hints.push(...[...text.matchAll(/hint:\s*(?:\n\s*)?'([^']*--[^']*)'/g)].map(([, hint = '']) => hint));
    }
    expect(hints.length).to.be.above(30);
    for (const hint of hints) {
      const bare = (hintOf(hint) ?? '').replaceAll(/`[^`]*`/g, '');
      const left = [...bare.matchAll(/--([a-z][a-z-]*)/g)].filter(([, flag = '']) => flags.includes(flag));
      expect(left, hint).to.deep.equal([]);
      expect(bare, hint).not.to.match(/leave {2}out|Leave {2}out/);
    }
  });
});
