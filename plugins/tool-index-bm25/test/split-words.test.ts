import { expect } from 'chai';
import { splitWords } from '../src/split-words.ts';

describe('splitWords', () => {
  const cases: readonly (readonly [text: string, words: readonly string[]])[] = [
    ['github_create_issue', ['github', 'create', 'issue']],
    ['send-message', ['send', 'message']],
    ['getUserProfile', ['get', 'user', 'profile']],
    ['parseHTTPResponse', ['parse', 'http', 'response']],
    ['convert2pdf', ['convert', '2', 'pdf']],
    ['ec2', ['ec', '2']],
    ['Create an issue (in a repository).', ['create', 'an', 'issue', 'in', 'a', 'repository']],
    ['Größe ändern', ['größe', 'ändern']],
    ['ﬁle', ['file']],
    ['天気 予報', ['天気', '予報']],
    ['__proto__', ['proto']],
    [' \n\0*', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ];
  for (const [text, words] of cases) {
    it(`splits ${JSON.stringify(text.slice(0, 40))} into ${words.length} words`, () => {
      expect(splitWords(text)).to.deep.equal(words);
    });
  }
});
