import { expect } from 'chai';
import { isGroupTerm } from '../src/related-words.ts';
import { searchTermsOf } from '../src/search-terms.ts';
import { stemWord } from '../src/stem-word.ts';

describe('searchTermsOf', () => {
  const termsOf = (text: string): readonly string[] => searchTermsOf(text).flat();

  it('leaves out stop words', () => {
    expect(termsOf('what is the weather in my city')).to.deep.equal(['weather', 'city']);
    expect(termsOf('what is this?')).to.deep.equal([]);
  });

  it('has a term in common for related words, besides the words themselves', () => {
    const groups = (word: string): readonly string[] => termsOf(word).filter(isGroupTerm);
    expect(groups('deleting')).to.deep.equal(groups('remove')).and.to.have.length(1);
    expect(groups('delete')).to.not.deep.equal(groups('create'));
    expect(groups('weather')).to.deep.equal([]);
    expect(termsOf('removed')[0]).to.equal('remov');
  });

  it('has no term of a group for a text that imitates one', () => {
    expect(termsOf('~1 ~create').filter((term) => term.startsWith('~1'))).to.deep.equal([]);
  });
});

describe('stemWord', () => {
  const same: readonly (readonly string[])[] = [
    ['issue', 'issues'],
    ['query', 'queries'],
    ['branch', 'branches'],
    ['create', 'creates', 'created', 'creating'],
    ['run', 'running'],
    ['call', 'called', 'calling'],
    ['search', 'searches', 'searching'],
    ['status'],
  ];
  for (const words of same) {
    it(`returns one form for ${words.join(', ')}`, () => {
      expect(new Set(words.map(stemWord)).size).to.equal(1);
    });
  }

  for (const word of ['is', 'bus', 'class', 'ändern', 'погода', '2024', 'string1']) {
    it(`returns ${word} unchanged`, () => {
      expect(stemWord(word)).to.equal(word);
    });
  }
});
