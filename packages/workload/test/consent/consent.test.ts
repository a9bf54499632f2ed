import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { consentFacts } from '../../src/consent/consent-facts.ts';
import {
  type ConsentDecision,
  type ConsentRequest,
  findMissingGrants,
  requireConsent,
} from '../../src/consent/require-consent.ts';
import {
  findOwnFile,
  listTrust,
  recordExport,
  recordWorkload,
  requireWorkloadConsent,
  revokeTrust,
} from '../../src/consent/trust-records.ts';
import { planRun } from '../../src/run/plan-run.ts';
import type { RunObserver } from '../../src/run/run-observer.ts';
import { prepareRun } from '../../src/run/steps/prepare-run.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';

const { signal } = new AbortController();
const READ_KEYS = { kind: 'mount', line: 'read ~/.ssh', subject: '~/.ssh', setting: 'read[0]' } as const;
const READ_NOTES = { kind: 'mount', line: 'read ~/notes', subject: '~/notes', setting: 'read[1]' } as const;
const REGISTRY = 'https://registry.acme.example';

const ask = (...grants: ConsentRequest['demands']['grants']): ConsentRequest => ({
  asker: { author: 'entry', origin: REGISTRY, name: 'dev.acme/weather' },
  demands: { grants, refusals: [] },
});

describe('consent', () => {
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());
  let context: TestWorkloadContext;
  beforeEach(async () => {
    context = testWorkloadContext(await folders.make());
  });

  const isOwnFile = async (text: string): Promise<boolean> =>
    (await findOwnFile(text, context)) !== undefined;

  const answering = (...answers: readonly ConsentDecision[]) => {
    const left = [...answers];
    const questions: string[][] = [];
    return {
      questions,
      options: {
        warn: () => undefined,
        isTrusted: false,
        consent: ({ grants }: { readonly grants: readonly { readonly line: string }[] }) => {
          questions.push(grants.map(({ line }) => line));
          return Promise.resolve(left.shift() ?? 'no');
        },
      },
    };
  };
  const require = (request: ConsentRequest, options: Parameters<typeof requireConsent>[2]): Promise<void> =>
    requireConsent(request, context, options, signal);

  it('trust.json › with 0 bytes causes an error that names the backup of the last change', async () => {
    const file = path.join(path.dirname(context.directories.runConfigs), 'trust.json');
    await recordWorkload('weather', ask(READ_KEYS), context);
    const before = await readFile(file, 'utf8');
    await recordWorkload('tides', ask(READ_NOTES), context);
    expect(await readFile(`${file}.bak`, 'utf8')).to.equal(before);
    await writeFile(file, '');
    for (const use of [() => listTrust(context), () => recordWorkload('weather', undefined, context)]) {
      const fault = await caught(use);
      expect(fault).to.include({ code: 'ERR_STATE_DAMAGED' });
      expect(String(fault)).to.include(`it is empty; restore ${file}.bak`);
    }
    expect(await readFile(file, 'utf8')).to.equal('');
  });

  it('remembers "always" for the same grants, and asks only for an additional one', async () => {
    const person = answering('always', 'once');
    await require(ask(READ_KEYS), person.options);
    await require(ask(READ_KEYS), person.options);
    await require(ask(READ_KEYS, READ_NOTES), person.options);
    expect(person.questions).to.deep.equal([['read ~/.ssh'], ['read ~/notes']]);
    expect(await findMissingGrants(ask(READ_KEYS, READ_NOTES), context)).to.deep.equal([READ_NOTES]);
  });

  it('asks again for another image of the same entry', async () => {
    const request = { ...ask(READ_KEYS), server: 'acme/weather' };
    await require(request, answering('always').options);
    expect(await findMissingGrants(request, context)).to.deep.equal([]);
    expect(await findMissingGrants({ ...request, server: 'adv/evil' }, context)).to.have.length(1);
  });

  it('asks again after "once", and throws ERR_NOT_CONFIRMED after "no"', async () => {
    const person = answering('once', 'no');
    await require(ask(READ_KEYS), person.options);
    expect(await caught(() => require(ask(READ_KEYS), person.options))).to.include({
      code: 'ERR_NOT_CONFIRMED',
      class: 'refused',
    });
  });

  it('asks again for the same entry of another registry', async () => {
    const person = answering('always');
    await require(ask(READ_KEYS), person.options);
    const other = { ...ask(READ_KEYS), asker: { ...ask().asker, origin: 'https://other.example' } };
    expect(await findMissingGrants(other, context)).to.have.length(1);
  });

  it('throws ERR_CONSENT_NEEDED with the grants without a terminal, and passes with --trust', async () => {
    const error = await caught(() => require(ask(READ_KEYS), { warn: () => undefined, isTrusted: false }));
    expect(error).to.deep.include({ code: 'ERR_CONSENT_NEEDED', class: 'mistake', grants: [READ_KEYS] });
    const told: string[] = [];
    await require(ask(READ_KEYS), { warn: (text) => void told.push(text), isTrusted: true });
    expect(told.join()).to.contain('read ~/.ssh');
  });

  it('rejects a forbidden setting despite --trust and a curated registry', async () => {
    const refusal = { setting: 'write[0]', found: 'a mount of /', because: 'it is the whole file system' };
    const request = { ...ask(), demands: { grants: [], refusals: [refusal] } };
    context = { ...context, user: { ...NO_USER_SETTINGS, trustedRegistries: [REGISTRY] } };
    const error = await caught(() => require(request, { warn: () => undefined, isTrusted: true }));
    expect(error).to.include({ code: 'ERR_CONSENT_REFUSED', class: 'mistake' });
  });

  it('asks nothing for a curated registry, but the public registry is never curated', async () => {
    const open = 'https://registry.modelcontextprotocol.io';
    context = { ...context, user: { ...NO_USER_SETTINGS, trustedRegistries: [`${REGISTRY}/`, open] } };
    await require(ask(READ_KEYS), answering().options);
    const ofPublic = { ...ask(READ_KEYS), asker: { ...ask().asker, origin: `${open}./` } };
    expect(await findMissingGrants(ofPublic, context)).to.have.length(1);
  });

  it('records an audit event for each accepted grant', async () => {
    await require(ask(READ_KEYS, READ_NOTES), answering('once').options);
    const file = path.join(path.dirname(context.directories.runConfigs), 'grants.jsonl');
    const events = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(events).to.have.length(2);
    expect(events[0]).to.deep.include({ type: 'consent_grant', outcome: 'success' });
    expect(JSON.stringify(events[1])).to.contain('read ~/notes').and.contain('dev.acme/weather');
  });

  it('asks at the next start of a workload after its consent was revoked', async () => {
    await require(ask(READ_KEYS), answering('always').options);
    await recordWorkload('weather', ask(READ_KEYS), context);
    const silent = { warn: () => undefined, isTrusted: false };
    await requireWorkloadConsent('weather', context, silent, signal);
    expect(await revokeTrust('dev.acme/weather', context)).to.deep.equal(['read ~/.ssh']);
    expect(await caught(() => requireWorkloadConsent('weather', context, silent, signal))).to.include({
      code: 'ERR_CONSENT_NEEDED',
    });
    await requireWorkloadConsent('weather', context, answering('once').options, signal);
    await requireWorkloadConsent('weather', context, silent, signal);
    expect(await caught(() => revokeTrust('nothing', context))).to.include({ code: 'ERR_NAME_UNKNOWN' });
    await recordWorkload('weather', undefined, context);
    expect((await listTrust(context)).workloads).to.deep.equal([]);
  });

  it('recognizes an exported file by its content', async () => {
    await recordExport('weather', '{"image":"x"}\n', context);
    expect(await isOwnFile('{"image":"x"}\n')).to.equal(true);
    expect(await isOwnFile('{"image":"y"}\n')).to.equal(false);
  });

  it('treats an export as a third-party file after the consent of its workload was revoked', async () => {
    await recordWorkload('weather', ask(READ_KEYS), context);
    await recordExport('weather', '{"image":"x"}\n', context);
    await revokeTrust('weather', context);
    await recordExport('weather', '{"image":"x"}\n', context);
    expect(await isOwnFile('{"image":"x"}\n')).to.equal(false);
  });

  for (const { title, name, isRemoved } of [
    { title: 'workload', name: 'weather', isRemoved: false },
    { title: 'entry', name: 'dev.acme/weather', isRemoved: false },
    { title: 'workload after its removal', name: 'weather', isRemoved: true },
    { title: 'entry after the removal of the workload', name: 'dev.acme/weather', isRemoved: true },
  ]) {
    it(`treats earlier exports as third-party files after the consent was revoked of their ${title}`, async () => {
      await recordWorkload('weather', ask(READ_KEYS), context);
      for (const text of ['first', 'second']) await recordExport('weather', text, context);
      await recordExport('tides', 'third', context);
      if (isRemoved) await recordWorkload('weather', undefined, context);
      expect(await revokeTrust(name, context)).to.include('runs exported files of weather without asking');
      const isOwn = await Promise.all(['first', 'second', 'third'].map(isOwnFile));
      expect(isOwn).to.deep.equal([false, false, true]);
    });
  }

  it('revokes also the exports of a workload that was run from an export', async () => {
    await recordWorkload('weather', ask(READ_KEYS), context);
    const config = { name: 'copy', image: 'acme/x:1', transport: 'stdio' };
    const text = JSON.stringify(config);
    await recordExport('weather', text, context);
    const file = path.join(context.workingDirectory, 'export.json');
    await writeFile(file, text);
    const ignore = (): undefined => undefined;
    const observer: RunObserver = { step: ignore, image: ignore, warn: ignore, note: ignore, ready: ignore };
    const request = { target: undefined, fromConfig: file, args: [], flags: {} };
    const prepared = await prepareRun(request, context, { observer }, signal);
    await recordWorkload('copy', prepared.consent, context);
    await recordExport('copy', 'second', context);
    await revokeTrust('dev.acme/weather', context);
    expect(await Promise.all([text, 'second'].map(isOwnFile))).to.deep.equal([false, false]);
    expect(
      await caught(() =>
        requireWorkloadConsent('copy', context, { warn: () => undefined, isTrusted: false }, signal),
      ),
    ).to.include({ code: 'ERR_CONSENT_NEEDED' });
  });

  it('recognizes the state folder behind symbolic links and below missing folders', async () => {
    const link = path.join(context.home, 'harmless');
    await mkdir(path.dirname(context.directories.runConfigs), { recursive: true });
    await symlink(path.dirname(context.directories.runConfigs), link);
    const { realPath, ownFolders } = consentFacts(context, 'weather');
    expect(ownFolders).to.include(realPath(link));
    expect(realPath(path.join(link, 'not', 'there'))).to.match(/state\/portolan\/not\/there$/);
  });

  it('plans a third-party file without reading its files or connecting to its hosts', async () => {
    const file = path.join(context.workingDirectory, 'stranger.json');
    const config = {
      name: 'weather',
      remote_url: 'https://mcp.acme.example/mcp',
      transport: 'streamable-http',
      remote_auth_config: { bearer_token_file: path.join(context.home, 'token.txt') },
    };
    await writeFile(file, JSON.stringify(config));
    const plan = await planRun({ target: undefined, fromConfig: file, args: [], flags: {} }, context, signal);
    expect(plan.grants).to.deep.equal([
      {
        kind: 'read',
        line: 'reads ~/token.txt and sends it to https://mcp.acme.example/mcp',
        subject: '~/token.txt',
        destination: 'https://mcp.acme.example/mcp',
        setting: 'remote_auth_config.bearer_token_file',
        author: 'file',
        accepted: false,
      },
    ]);
  });

  for (const logFile of ['../.bashrc', '/etc/cron.d/x', '~/.ssh/authorized_keys']) {
    it(`rejects a third-party file that writes its audit log to ${logFile}`, async () => {
      const file = path.join(context.workingDirectory, 'stranger.json');
      await writeFile(file, JSON.stringify({ name: 'w', image: 'acme/x:1', audit_config: { logFile } }));
      const request = { target: undefined, fromConfig: file, args: [], flags: {} };
      expect(await caught(() => planRun(request, context, signal))).to.include({
        code: 'ERR_CONSENT_REFUSED',
      });
    });
  }
});
