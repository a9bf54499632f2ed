import { expect } from 'chai';
import { checkToolNames, type NamedTools } from '../../src/settings/check-tool-names.ts';
import { checkFlags } from '../../src/settings/check-flags.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('--tools', () => {
  const split = (tools: readonly string[]): readonly string[] | undefined =>
    checkFlags({ tools }, { workingDirectory: '/', home: '/' }, []).tools;

  it('is split at commas and trimmed, and keeps each name once', () => {
    expect(split(['a, b', 'c', ' b ,d'])).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  for (const given of [[''], ['a,'], [' '], ['a,,b'], ['a', '']]) {
    it(`rejects ${JSON.stringify(given)}, because an empty list would permit all tools`, async () => {
      const error = await caught(() => split(given));
      expect(error.code).to.equal('ERR_SETTING');
    });
  }
});

describe('checkToolNames', () => {
  const LISTED = ['fetch', 'search'];
  const good: readonly (readonly [title: string, named: NamedTools])[] = [
    ['nothing', { filter: [], override: {} }],
    ['tools of the entry', { filter: ['search'], override: { fetch: { description: 'd' } } }],
    ['the new name of one', { filter: ['get'], override: { fetch: { name: 'get' } } }],
  ];
  for (const [title, named] of good) {
    it(`accepts ${title}`, () => {
      checkToolNames(named, 'io.acme/web', LISTED);
    });
  }

  const bad: readonly (readonly [title: string, named: NamedTools, says: string])[] = [
    ['a tool that is not listed', { filter: ['serch'], override: {} }, '--tools: found "serch"'],
    [
      'the old name of one',
      { filter: ['fetch'], override: { fetch: { name: 'get' } } },
      '--tools: found "fetch"',
    ],
    [
      'an override of another',
      { filter: [], override: { get: { name: 'b' } } },
      '--tools-override: found "get"',
    ],
  ];
  for (const [title, named, says] of bad) {
    it(`rejects ${title}, and names it`, async () => {
      const error = await caught(() => checkToolNames(named, 'io.acme/web', LISTED));
      expect(error.code).to.equal('ERR_TOOL_UNKNOWN');
      expect(error.message).to.include(says).and.include('io.acme/web');
    });
  }

  it('rejects every name for an entry without tools', async () => {
    const error = await caught(() => checkToolNames({ filter: ['a'], override: {} }, 'io.acme/web', []));
    expect(error.message).to.include('expected one of none');
  });
});
