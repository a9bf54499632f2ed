import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Finished } from '../../../support/command-line.ts';
import { freePort } from '../../../support/free-port.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { overStdio, program } from './support/faulty-servers.ts';

const ISSUER = ['--oidc-issuer', 'https://id.acme.example', '--oidc-audience', 'weather'];
const POLICY = JSON.stringify({
  version: '1.0',
  type: 'cedarv1',
  cedar: { policies: ['permit(principal, action, resource);'], entities_json: '[]' },
});

describe('portolan change and run --replace', function () {
  this.timeout(240_000);
  const stage = useFaultStage();

  async function configOf(name: string): Promise<Readonly<Record<string, unknown>>> {
    const file = path.join(stage.user.root, 'state/portolan/runconfigs', `${name}.json`);
    // SAFETY: a file of Portolan. A test that reads a missing field fails.
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  }

  const change = async (...words: readonly string[]): Promise<Finished> =>
    await stage.user.portolan(['change', ...words]);

  async function answers(url: string): Promise<void> {
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
  }

  it('N1 › changes one flag and keeps login, policy, profile, volumes, variables and address', async () => {
    const name = stage.name();
    await writeFile(path.join(stage.user.root, 'policy.json'), POLICY);
    const volume = ['-v', '/etc/hosts:/here:ro', '-e', 'REGION=eu'];
    const url = await stage.runs(name, ...ISSUER, '--authz-config', 'policy.json', ...volume, ...overStdio());
    const before = await configOf(name);

    const planned = await change(name, '--tools', 'echo', '--dry-run');
    expect(planned, planned.stderr).to.include({ status: 0 });
    expect(planned.stdout).to.equal(`Changes of ${name}:\n  tools_filter: (none) -> ["echo"]\n`);
    expect(planned.stderr).to.not.include('tools_filter');
    expect(await configOf(name)).to.deep.equal(before);

    const changed = await change(name, '--tools', 'echo');
    expect(changed, changed.stderr).to.include({ status: 0, stdout: `${url}\n` });
    expect(changed.stderr).to.include('tools_filter: (none) -> ["echo"]');
    expect(await configOf(name)).to.deep.equal({ ...before, tools_filter: ['echo'] });
    expect(await stage.listed(name)).to.include({ status: 'running', url });

    const same = await change(name, '--tools', 'echo', '--format', 'json');
    expect(JSON.parse(same.stdout)).to.deep.equal({ name, changes: [], lost: [] });

    const reset = await change(name, '--unset', 'tools', '--unset', 'authz-config', '--format', 'json');
    expect(reset, reset.stderr).to.include({ status: 0 });
    expect(JSON.parse(reset.stdout)).to.deep.include({
      url,
      lost: ['what callers may do', 'which tools clients see'],
    });
    const { authz_config: _policy, authz_config_path: _path, ...open } = before;
    expect(await configOf(name)).to.deep.equal(open);
    await stage.user.done('rm', name);
    // The file that hides paths in mounted folders stays for other workloads.
    await stage.user.removeFiles('policy.json', 'data/portolan/statuses/empty');
    await stage.user.expectNoTraces();
  });

  it('N1 › refuses a replacement that loses protection, with exit status 2 and a hint at change', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...ISSUER, '--tools', 'echo', ...overStdio());
    const before = await configOf(name);
    const pid = await stage.supervisorOf(name);
    const words = stage.words(name, '--replace', ...overStdio());
    const refused = await stage.user.portolan(words);
    expectFailed(refused, 'who may call it', 2);
    expect(refused.stderr).to.include('which tools clients see').and.to.include(`portolan change ${name}`);
    expect(refused.stderr).to.include('oidc_config.Issuer: https://id.acme.example -> (none)');
    const [first = '', ...rest] = words;
    const asJson = await stage.user.portolan([first, '--format', 'json', ...rest]);
    expect(JSON.parse(asJson.stdout)).to.deep.include({ code: 'ERR_PROTECTION_LOST', name });
    expect(await configOf(name)).to.deep.equal(before);
    expect(await stage.supervisorOf(name)).to.equal(pid);

    const accepted = await stage.user.portolan([first, '--yes', ...rest]);
    expect(accepted, accepted.stderr).to.include({ status: 0, stdout: `${url}\n` });
    expect(accepted.stderr).to.include('no longer protected: who may call it');
    await answers(url);
    // From here on, nothing may be lost.
    expect(await stage.user.portolan(words)).to.include({ status: 0 });
    await stage.user.removeAll(name);
  });

  it('N1 › restarts the earlier workload at its address when the changed one fails', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    const before = await configOf(name);
    const failed = await change(name, ...program('process.exit(3)'));
    expect(failed.status, failed.stderr).to.equal(1);
    expect(failed.stderr).to.include(`${name} is started again with its earlier settings`);
    expect(await configOf(name)).to.deep.equal(before);
    await answers(url);

    await stage.user.done('stop', name);
    const still = await change(name, ...program('process.exit(3)'));
    expect(still.status).to.equal(1);
    expect(await stage.listed(name)).to.include({ status: 'stopped' });
    expect(await configOf(name)).to.deep.equal(before);
    const started = await change(name, '-e', 'REGION=eu');
    expect(started, started.stderr).to.include({ status: 0, stdout: `${url}\n` });
    await answers(url);
    await stage.user.removeAll(name);
  });

  it('N1 › applies both of two concurrent changes', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    const both = await Promise.all([change(name, '-e', 'FIRST=1'), change(name, '-e', 'SECOND=2')]);
    for (const one of both) expect(one, one.stderr).to.include({ status: 0, stdout: `${url}\n` });
    expect((await configOf(name))['env_vars']).to.deep.equal({ FIRST: '1', SECOND: '2' });
    await answers(url);
    await stage.user.removeAll(name);
  });

  it('N1 › leaves a workload that starts with old or new settings after kill -9', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    for (const [round, afterMs] of [300, 900, 1500, 2500].entries()) {
      const killed = stage.begin(['change', name, '-e', `ROUND=${round}`]);
      await pass(afterMs); // A kill may come at any time.
      killed.kill('SIGKILL');
      await killed.finished;
      await eventually(
        async () => expect((await stage.listed(name))?.status).not.to.be.oneOf(['starting', 'stopping']),
        { withinMs: 60_000 },
      );
      expect(await stage.user.done('start', name)).to.equal(`${url}\n`);
      await answers(url);
    }
    await stage.user.removeAll(name);
  });

  it('N1 › moves a workload to another port when its port is taken, as the hint of start says', async () => {
    const name = stage.name();
    await stage.runs(name, ...overStdio());
    const port = await freePort();
    const moved = await change(name, '--proxy-port', String(port));
    expect(moved, moved.stderr).to.include({ status: 0 });
    expect(moved.stdout).to.match(new RegExp(`^http://127\\.0\\.0\\.1:${port}/`));
    await answers(moved.stdout.trim());
    await stage.user.removeAll(name);
  });

  it('N1 › rejects an unknown workload, no setting to change, and another name', async () => {
    const name = stage.name();
    expectFailed(await change(name, '--tools', 'echo'), `no workload named "${name}"`);
    expectFailed(await change(name), 'found no setting', 2);
    await stage.runs(name, ...overStdio());
    expectFailed(await change(name, '--name', 'other'), `cannot change the name of the workload ${name}`, 2);
    expectFailed(await change(name, '--unset', 'tool'), 'expected tools', 2);
    await stage.user.removeAll(name);
  });
});
