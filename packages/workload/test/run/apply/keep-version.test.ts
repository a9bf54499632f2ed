import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { keepVersion } from '../../../src/run/apply/keep-version.ts';
import { findRealChanges } from '../../../src/run/apply/real-changes.ts';

describe('keepVersion', () => {
  for (const { target, running, expected } of [
    { target: 'npx://@acme/notes', running: 'npx://@acme/notes@2.1.0', expected: 'npx://@acme/notes@2.1.0' },
    { target: 'npx://notes', running: 'npx://notes@2.1.0', expected: 'npx://notes@2.1.0' },
    {
      target: 'npx://notes#program',
      running: 'npx://notes@2.1.0#program',
      expected: 'npx://notes@2.1.0#program',
    },
    { target: 'npx://notes', running: 'npx://notes@2.1.0#program', expected: 'npx://notes' },
    { target: 'npx://notes@3.0.0', running: 'npx://notes@2.1.0', expected: 'npx://notes@3.0.0' },
    { target: 'npx://other', running: 'npx://notes@2.1.0', expected: 'npx://other' },
    {
      target: 'go://acme.example/notes',
      running: 'go://acme.example/notes@v1.0.0',
      expected: 'go://acme.example/notes@v1.0.0',
    },
    { target: 'acme/notes', running: 'acme/notes@sha256:1', expected: 'acme/notes' },
  ]) {
    it(`keepVersion › returns ${expected} for ${target} when ${running} runs`, () => {
      expect(keepVersion(target, createRunConfig({ run_target: running }))).to.equal(expected);
    });
  }

  it('keepVersion › returns the target when there is no workload', () => {
    expect(keepVersion('npx://notes', undefined)).to.equal('npx://notes');
  });
});

describe('findRealChanges', () => {
  const change = (setting: string, before: unknown, after: unknown) => ({ setting, before, after });
  const setting = (from: 'rule' | 'flag') => ({
    setting: 'target_port',
    value: 1,
    from,
    by: '',
    author: 'user' as const,
  });

  it('findRealChanges › leaves out what only the moment decides', () => {
    const changes = [
      change('target_port', 4000, 4001),
      change('image', 'portolanlocal/a:1', undefined),
      change('remote_auth_config.cached_client_id', 'x', undefined),
      change('port', 1, 2),
    ];
    expect(findRealChanges({ changes, settings: [setting('rule')] })).to.deep.equal([change('port', 1, 2)]);
  });

  it('findRealChanges › keeps a port that the file names, and another image', () => {
    const changes = [change('target_port', 4000, 4001), change('image', 'acme/a:1', 'acme/a:2')];
    expect(findRealChanges({ changes, settings: [setting('flag')] })).to.deep.equal(changes);
    expect(findRealChanges({ changes: undefined, settings: [] })).to.deep.equal([]);
  });
});
