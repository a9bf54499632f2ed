import { expect } from 'chai';
import { splitWords } from '../src/split-words.ts';

describe('splitWords', () => {
  const cases: readonly (readonly [text: string, words: readonly string[]])[] = [
    ['github_create_issue', ['github', 'create', 'issue']],
    ['send-message', ['send', 'message', 'sendmessage']],
    ['getUserProfile', ['get', 'user', 'profile']],
    ['parseHTTPResponse', ['parse', 'http', 'response']],
    ['convert2pdf', ['convert', '2', 'pdf']],
    ['ec2', ['ec', '2', 'ec2']],
    ['OneDrive and onedrive', ['one', 'drive', 'onedrive', 'and', 'onedrive']],
    ['a to-do by e-mail', ['a', 'to', 'do', 'todo', 'by', 'e', 'mail', 'email']],
    ['Create an issue (in a repository).', ['create', 'an', 'issue', 'in', 'a', 'repository']],
    ['Größe ändern', ['größe', 'ändern']],
    ['ﬁle', ['file']],
    ['天気予報 city', ['天気', '気予', '予報', 'city']],
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
