import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPortolanError } from '@portolan/plugin-api';
import { leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { sshArguments } from '../src/engine/ssh-stream.ts';
import { findEngine } from '../src/engine/find-engine.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

const platform = 'linux' as const;

describe('findEngine', () => {
  it('connects over ssh with the ssh program', () =>
    inTemporaryFolder(async (home) => {
      const engine = await startFakeEngine(join(home, 'engine.sock'));
      const program = `#!${process.execPath}
const socket = require('node:net').connect(${JSON.stringify(join(home, 'engine.sock'))});
process.stdin.pipe(socket).pipe(process.stdout);
require('node:fs').writeFileSync(${JSON.stringify(join(home, 'arguments'))}, process.argv.slice(2).join(' '));`;
      await writeFile(join(home, 'ssh'), program, { mode: 0o755 });
      const path = process.env['PATH'];
      process.env['PATH'] = `${home}:${path}`;
      try {
        await leavesNothingOpen(async () => {
          const environment = { DOCKER_HOST: 'ssh://ops@engine' };
          const found = await findEngine({ environment, home, platform, temporaryFolder: home }, undefined);
          expect(found.address).to.equal('ssh://ops@engine');
        });
        expect(engine.requests).to.deep.equal(['GET /_ping']);
      } finally {
        process.env['PATH'] = path;
        await engine.close();
      }
    }));

  it('does not fall back when the configured engine is unresponsive', () =>
    inTemporaryFolder(async (home) => {
      const environment = { DOCKER_HOST: `unix://${home}/none.sock` };
      try {
        await findEngine({ environment, home, platform, temporaryFolder: home }, undefined);
        expect.fail('found an engine');
      } catch (error) {
        if (!isPortolanError(error)) throw error;
        expect(error.code).to.equal('ERR_RUNTIME_UNREACHABLE');
        expect(error.message).to.include('none.sock (from DOCKER_HOST) does not respond: nothing is there');
      }
    }));

  it('lists each default location with the reason when none responds', () =>
    inTemporaryFolder(async (home) => {
      // With these folders no place of the machine itself is tried on this platform.
      const context = { environment: {}, home, platform: 'win32' as const, temporaryFolder: home };
      try {
        await findEngine(context, undefined);
        expect.fail('found an engine');
      } catch (error) {
        if (!isPortolanError(error)) throw error;
        expect(error.message.split('\n')).to.deep.equal([
          'No container engine responds. Tried:',
          '  npipe:////./pipe/docker_engine (the usual place of Docker): nothing is there',
          '  npipe:////./pipe/podman-machine-default (the usual place of Podman): nothing is there',
        ]);
      }
    }));

  it('rejects with the reason of its signal', () =>
    inTemporaryFolder(async (home) => {
      const reason = new Error('enough');
      try {
        const context = { environment: {}, home, platform, temporaryFolder: home };
        await findEngine(context, undefined, AbortSignal.abort(reason));
        expect.fail('found an engine');
      } catch (error) {
        expect(error).to.equal(reason);
      }
    }));
});

describe('sshArguments', () => {
  it('puts the address after the options, and quotes the path', () => {
    const address = { over: 'ssh', host: 'engine', user: 'ops', port: 2222, path: "/run/it's" } as const;
    expect(sshArguments(address).join(' ')).to.equal(
      String.raw`-T -o ConnectTimeout=30 -o ServerAliveInterval=10 -l ops -p 2222 -- engine docker --host unix://'/run/it'\''s' system dial-stdio`,
    );
  });
});
