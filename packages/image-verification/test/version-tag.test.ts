import { expect } from 'chai';
import fc from 'fast-check';
import { chooseNewerTag, readVersionTag } from '../src/version-tag.ts';

describe('chooseNewerTag', () => {
  const cases: readonly (readonly [tag: string, tags: readonly string[], newest: string | undefined])[] = [
    ['1.9.0', ['1.10.0', '1.9.1', '2.0.0'], '2.0.0'],
    ['1.9.0', ['1.10', '2', 'latest', '1.8.9', '1.9.0'], undefined],
    ['1.9', ['1.10', '1.10.4', '2'], '1.10'],
    ['v1.2.3', ['1.3.0', 'v1.2.4'], 'v1.2.4'],
    ['1.2.3-alpine', ['1.2.4', '1.2.4-slim', '1.2.4-alpine'], '1.2.4-alpine'],
    ['1.2.3-alpine3.21', ['1.2.4-alpine3.22'], undefined],
    ['1.2.3', ['1.3.0-rc.1', '1.3.0-beta', '1.2.4-alpine'], undefined],
    ['1.3.0-rc.1', ['1.3.0-rc.2', '1.3.0-beta.9'], '1.3.0-rc.2'],
    ['1.3.0-rc.1', ['1.3.0-rc.2', '1.3.0'], '1.3.0'],
    ['1.3.0-rc.9', ['1.3.0-rc.10'], '1.3.0-rc.10'],
    ['1', ['20240101', '2', '2026'], '2'],
    ['20240101', ['20250101', '3'], '20250101'],
    ['2024.1', ['2024.2', '3.0'], '2024.2'],
    ['latest', ['1.0.0', '2.0.0'], undefined],
    ['sha-2f5a1c0', ['sha-3f5a1c0'], undefined],
    ['123456789012', ['223456789012'], undefined],
    ['1.2.3-development', ['1.2.4'], undefined],
    ['1.0.0', ['1.0.1\u0000', '1.0.2 ', '../1.0.3', '1.0.4/x', '1.0.5@sha256:0'], undefined],
  ];
  for (const [tag, tags, newest] of cases) {
    it(`returns ${newest ?? 'none'} after ${tag} among ${JSON.stringify(tags.join(' '))}`, () => {
      expect(chooseNewerTag(tag, tags)).to.equal(newest);
      expect(chooseNewerTag(tag, tags.toReversed())).to.equal(newest);
    });
  }

  const tag = fc.stringMatching(/^v?\d{1,3}(\.\d{1,3}){0,2}(-(rc|beta)(\.\d)?)?(-alpine|-slim)?$/);

  it('returns a newer tag of the list with the same variant', () => {
    fc.assert(
      fc.property(tag, fc.array(tag), (current, tags) => {
        const newest = chooseNewerTag(current, tags);
        if (newest === undefined) return;
        expect(tags).to.include(newest);
        expect(chooseNewerTag(newest, [current])).to.equal(undefined);
        expect(readVersionTag(newest)?.variant).to.equal(readVersionTag(current)?.variant);
      }),
    );
  });
});
