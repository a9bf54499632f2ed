import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skipSuite } from '../../../../test/support/skip-suite.ts';
import { AGENT_LABEL, launchdAgent } from '../../src/service/launchd-agent.ts';

/**
 * Parses a property list on standard input as strictly as Apple's parser (plistlib of Python), and writes
 * JSON.
 */
const PARSER = 'import json, plistlib, sys; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)';

/** CI has no launchd, so a parser of its format checks the output. */
describe('launchdAgent', () => {
  before(async function () {
    try {
      await promisify(execFile)('python3', ['-c', 'import plistlib']);
    } catch {
      skipSuite(this, 'there is no python3');
    }
  });

  async function parsed(text: string): Promise<unknown> {
    const running = promisify(execFile)('python3', ['-c', PARSER]);
    running.child.stdin?.end(text);
    return JSON.parse((await running).stdout);
  }

  for (const odd of [
    'plain',
    '<b>&amp;"\'</b>',
    ']]> <!-- &#0;',
    '/Users/Zoë O\u2019Neil/日本/%h $HOME',
    '  spaces  ',
  ])
    it(`is a property list with the exact values, such as ${JSON.stringify(odd)}`, async () => {
      const command = ['/usr/local/bin/node', '--', `/opt/${odd}/portolan.js`, 'service', 'run'];
      const environment = { PATH: `/usr/bin:${odd}`, PORTOLAN_CONFIG: odd };
      expect(await parsed(launchdAgent({ command, environment }, `/logs/${odd}.log`))).to.deep.equal({
        Label: AGENT_LABEL,
        RunAtLoad: true,
        AbandonProcessGroup: true,
        ProgramArguments: command,
        EnvironmentVariables: environment,
        StandardErrorPath: `/logs/${odd}.log`,
      });
    });
});
